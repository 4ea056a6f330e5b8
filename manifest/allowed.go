package manifest

import "strings"

// The facts whose value is text, and how it is written there.
const textFacts = `
system.os system.kernel system.arch
cpu.model cpu.vendor cpu.vector[] cpu.governor
virtual.machine virtual.container virtual.hypervisor
memory.transparent_huge
clock.source clock.available[]
target.filesystem target.options[] target.subvolume target.pool target.sync target.variant target.upper_filesystem
target.upper_options[] target.device target.boundary`

// The facts whose value is a number, true or false, or a list that is named
// apart: of these only the source and the reason are text.
const otherFacts = `
cpu.logical cpu.physical cpu.allowed cpu.quota cpu.quota_set cpu.caches cpu.frequency cpu.performance_cores
cpu.efficiency_cores
memory.total memory.available memory.limit memory.limit_set memory.huge_pages memory.huge_page_size
clock.overhead clock.resolution
target.bind target.layers target.disks target.guest target.eatmydata`

const listedFacts = `cpu.caches.value[].type target.layers.value[].device target.layers.value[].kind target.disks.value[].name`

const textDiskFacts = `model write_cache scheduler transport`
const otherDiskFacts = `rotational logical_block physical_block size flush_counter`

const textVolatile = `clock_source`
const otherVolatile = `load_1 load_5 load_15 pressure_cpu.avg_10 pressure_cpu.total pressure_io.avg_10 pressure_io.total
pressure_memory.avg_10 pressure_memory.total steal throttled throttled_time`

// Free text outside the environment. What people write, and what errors say,
// must have its paths taken out before it gets here.
const texts = `
command[]
program.version program.go_version program.goos program.goarch program.settings.*
program.commit.value program.commit.source program.commit.unknown program.dirty.source program.dirty.unknown
axioms[].name axioms[].method axioms[].bounds
predictions[].derivation.steps predictions[].derivation.error predictions[].why
labs[].error labs[].notes[]
labs[].questions[].derivation.steps labs[].questions[].derivation.error
labs[].series[].name labs[].series[].text labs[].series[].samples.data
labs[].claims[].text labs[].claims[].detail labs[].claims[].rests_on[] labs[].claims[].controls[]
labs[].claims[].evidence.values labs[].claims[].evidence.a labs[].claims[].evidence.b
labs[].claims[].evidence.guard_a labs[].claims[].evidence.guard_b
labs[].claims[].evidence.parts[].name labs[].claims[].evidence.parts[].a labs[].claims[].evidence.parts[].b
labs[].claims[].retest.parts[].name labs[].claims[].retest.parts[].a labs[].claims[].retest.parts[].b
labs[].claims[].retest.values labs[].claims[].retest.a labs[].claims[].retest.b
labs[].claims[].retest.guard_a labs[].claims[].retest.guard_b`

// Allowed returns the paths within a run that may hold free text, [] standing
// for any index and * for any key. Every other text in a run is one of a few
// words, a hash, an id or a time. The list is what privacy is reviewed by: a
// field of text that is added without standing here fails a test.
func Allowed() map[string]bool {
	out := map[string]bool{}
	for _, list := range []string{texts, prefixed("environment.", listedFacts)} {
		for path := range strings.FieldsSeq(list) {
			out[path] = true
		}
	}
	allowFacts(out, "environment.", textFacts, otherFacts)
	allowFacts(out, "environment.target.disks.value[].", textDiskFacts, otherDiskFacts)
	for _, at := range []string{"environment.load.", "environment_end.", "labs[].conditions[].before.", "labs[].conditions[].after."} {
		allowFacts(out, at, textVolatile, otherVolatile)
	}
	return out
}

// allowFacts adds the texts of facts: where each comes from, why it is not
// known, and the value where that is text.
func allowFacts(out map[string]bool, at, text, other string) {
	for name := range strings.FieldsSeq(text) {
		name, list := strings.CutSuffix(name, "[]")
		value := at + name + ".value"
		if list {
			value += "[]"
		}
		out[value], out[at+name+".source"], out[at+name+".unknown"] = true, true, true
	}
	for name := range strings.FieldsSeq(other) {
		out[at+name+".source"], out[at+name+".unknown"] = true, true
	}
}

func prefixed(prefix, list string) string {
	fields := strings.Fields(list)
	for i := range fields {
		fields[i] = prefix + fields[i]
	}
	return strings.Join(fields, " ")
}
