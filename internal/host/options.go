package host

import (
	"regexp"
	"strings"
)

// flagOptions are the mount options without a value that are printed. Those that
// decide what an fsync does must be here: Unfit reads the printed ones.
var flagOptions = words(`ro rw relatime noatime nodiratime strictatime lazytime sync async dirsync nosuid nodev noexec
	discard nodiscard barrier nobarrier volatile ssd nossd ssd_spread datacow nodatacow datasum nodatasum autodefrag
	space_cache nospace_cache flushoncommit noflushoncommit treelog notreelog noenospc_debug clear_cache compress
	attr2 noattr2 inode32 inode64 noquota usrquota grpquota prjquota quota largeio wsync ikeep noikeep filestreams
	journal_checksum journal_async_commit delalloc nodelalloc dioread_nolock dioread_lock auto_da_alloc
	noauto_da_alloc acl noacl posixacl user_xattr xattr noxattr casesensitive casemixed caseinsensitive dax norecovery noload
	hard soft intr nointr ac noac cto nocto lock nolock sharecache nosharecache fsc mmap seal nodfs
	allow_other default_permissions writeback_cache userxattr metacopy bulk_read
	background_gc inline_data noinline_data inline_xattr inline_dentry flush_merge noflush_merge fastboot extent_cache
	checkpoint_merge nocheckpoint_merge pgrpquota loop iversion block_validity nombcache`)

// valueOptions are the options with a value that are printed, if the value is plain.
var valueOptions = words(`barrier fsync fsync_mode data commit errors stripe subvolid compress compress-force space_cache
	discard logbufs logbsize sunit swidth allocsize dax size nr_inodes nr_blocks mode huge mpol
	vers nfsvers minorversion rsize wsize bsize proto timeo retrans sec local_lock lookupcache acregmin acregmax acdirmin acdirmax actimeo
	nconnect cache msize trans access fscache debug blksize max_read metacopy redirect_dir index xino nfs_export
	active_logs alloc_mode background_gc checkpoint compress_algorithm memory
	thread_pool max_batch_time min_batch_time inode_readahead_blks journal_ioprio`)

// plainValue has no room for a path, a name with capitals or an address.
var plainValue = regexp.MustCompile(`^[a-z0-9_+-]{1,24}(\.[0-9]{1,2}){0,2}(:[0-9]{1,2})?%?$`)

func words(s string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// printable returns the options that may be printed. Paths, users, addresses and
// whatever else an option may hold are left out by not being in the lists.
func printable(options []string) []string {
	out := []string{}
	for _, o := range options {
		key, value, valued := strings.Cut(o, "=")
		if valued && valueOptions[key] && plainValue.MatchString(value) || !valued && flagOptions[key] {
			out = append(out, o)
		}
	}
	return out
}

// customary are the names of pools and subvolumes that installers and manuals
// give. Any other is the owner's own word, and may be a user or a host.
var (
	customaryPool = words(`rpool bpool tank zroot zpool zfs pool data dpool`)
	customarySub  = words(`/ /@ /@home /@root /@rootfs /@var /@var_log /@log /@cache /@tmp /@opt /@srv /@swap /@data /@snapshots
		/root /rootfs /home /var /opt /srv /data /tmp`)
)
