package pipelining

// corpusText is what is sent to the lab's server and to a real Redis. A scenario
// begins with ==, its name, and "scans" where it has a server look at all of its
// keys. Its commands go in one piece on one connection. A line is a command in
// words, as redis-cli would take it; one that begins with > goes as it is, as an
// inline request; one that begins with ! is bytes, as Go quotes them. @ is a prefix
// that no key of the server has.
const corpusText = `
== strings
PING
PING "hello world"
ping a b
ECHO "\x00\xff\r\n"
GET @a
SET @a ""
GET @a
SET @a "two words"
GET @a
set @a value
GeT @a
SET @b "a\tb\x00c"
GET @b
EXISTS @a @b @none @a
DEL @a @none @b @a
EXISTS @a @b
GET
SET @a
SET
DEL
EXISTS
ECHO
DEL @a @b

== set-conditions
SET @a 1 NX
SET @a 2 NX
GET @a
SET @b 1 XX
SET @a 3 XX
GET @a
SET @a 4 GET
SET @b 5 GET
SET @a 6 XX GET
SET @c 7 XX GET
GET @c
SET @a 8 nx xx
SET @a 8 XX NX
SET @a 9 keepttl
SET @a 9 WRONG
SET @a 9 NX GET
SET @c 9 NX GET
GET @a
GET @c
DEL @a @b @c

== set-times
SET @a 1 EX 100
TTL @a
SET @a 2 KEEPTTL
TTL @a
GET @a
SET @a 3
TTL @a
SET @a 1 PX 100000
TTL @a
SET @a 1 EXAT 99999999999
EXISTS @a
PERSIST @a
SET @a 1 PXAT 99999999999999
PERSIST @a
PERSIST @a
SET @a 1 EXAT 1
GET @a
EXISTS @a
SET @a 1 EX 0
SET @a 1 EX -1
SET @a 1 PX 0
SET @a 1 EXAT 0
SET @a 1 EX ten
SET @a 1 EX
SET @a 1 EX 10 PX 10
SET @a 1 EX 10 KEEPTTL
SET @a 1 KEEPTTL EX 10
SET @a 1 KEEPTTL KEEPTTL
SET @a 1 EX 9223372036854775807
SET @a 1 PX 9223372036854775807
SET @a 1 EX 9223372036854775
SET @a 1 EX 99999999999999999999
SET @a 1 GET EX 100 XX
DEL @a

== times
SET @a v
TTL @a
PTTL @a
TTL @none
PTTL @none
EXPIRE @none 10
EXPIRE @a 100
TTL @a
PEXPIRE @a 50000
TTL @a
EXPIREAT @a 99999999999
PERSIST @a
TTL @a
PERSIST @none
EXPIRE @a ten
EXPIRE @a
EXPIRE @a 10 20
EXPIRE @a 9223372036854775807
PEXPIRE @a 9223372036854775807
EXPIRE @a -9223372036854775808
EXPIREAT @a 9223372036854775807
EXPIRE @a -1
EXISTS @a
SET @a v
EXPIRE @a 0
GET @a
SET @a v
EXPIREAT @a 1
GET @a
SET @a v
PEXPIREAT @a 1
EXISTS @a
TTL
PERSIST
DEL @a

== time-conditions
SET @a v
EXPIRE @a 100 XX
EXPIRE @a 100 GT
TTL @a
EXPIRE @a 100 LT
TTL @a
EXPIRE @a 200 NX
EXPIRE @a 200 LT
EXPIRE @a 200 GT
TTL @a
EXPIRE @a 50 GT
EXPIRE @a 50 LT
TTL @a
EXPIRE @a 60 XX
TTL @a
EXPIRE @a 60 XX GT
EXPIRE @a 70 XX LT
EXPIRE @a 60 NX XX
EXPIRE @a 60 NX GT
EXPIRE @a 60 NX LT
EXPIRE @a 60 GT LT
EXPIRE @a 60 xx WRONG
EXPIRE @none 60 NX
PERSIST @a
EXPIRE @a 60 nx
EXPIRE @a -1 GT
EXPIRE @a -1 LT
EXISTS @a
DEL @a

== numbers
INCR @n
INCR @n
DECR @n
INCRBY @n 40
DECRBY @n 50
GET @n
INCRBY @n -9223372036854775808
SET @n 9223372036854775807
INCR @n
INCRBY @n 1
DECR @n
SET @n -9223372036854775808
DECR @n
DECRBY @n -9223372036854775808
DECRBY @n 9223372036854775807
SET @n text
INCR @n
SET @n " 1"
INCR @n
SET @n 1.5
INCR @n
SET @n +1
INCR @n
SET @n 01
INCR @n
SET @n -0
INCR @n
SET @n ""
INCR @n
SET @n 99999999999999999999
INCR @n
SET @n -1
INCR @n
INCRBY @n 1x
INCRBY @n ""
INCRBY @n
INCRBY @n 1 2
INCR
DECR @n 1
SET @n 5 EX 100
INCR @n
TTL @n
DEL @n

== unknown
NOSUCH
nosuch a b c
"NO SUCH" "a b"
NOSUCH "line\r\nbreak"
NOSUCH aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
NOSUCH aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b c d e
""
PING

== inline
> PING
> ping  "a b"  
>   ECHO x
> 
>    
> SET @a 'single \n quoted \' x'
> GET @a
> SET @a "double \n \x41 \q \" y"
> GET @a
> SET @a ""
> GET @a
> SET @a abc"def gh"
> GET @a
> SET @a abc'def gh'
> GET @a
> ECHO a\nb
> DEL @a
! "PING\n"
! "\tPING\r\n"
! "*0\r\n"
! "*-1\r\n"
! "\r\n"
! "\n"
! "*1\r\n$4\r\nPINGxx"
PING

== unbalanced-double
PING
> ECHO "a
PING

== unbalanced-single
> ECHO 'a
PING

== quote-inside-a-word
> ECHO "a"b
PING

== no-length
! "*x\r\n"
PING

== too-many
! "*2147483648\r\n"
PING

== no-bulk
PING
! "*1\r\nPING\r\n"
PING

== no-bulk-length
! "*1\r\n$x\r\n"
PING

== negative-bulk-length
! "*1\r\n$-1\r\n"
PING

== empty-bulk-length
! "*1\r\n$\r\n"
PING

== huge-bulk-length
! "*1\r\n$9999999999999\r\n"
PING

== padded-length
! "*01\r\n$4\r\nPING\r\n"
PING

== break-for-a-bulk
! "*1\r\n\r\n$4\r\nPING\r\n"
PING

== keys scans
KEYS @*
SET @hello 1
KEYS @*
KEYS @h?llo
KEYS @h??llo
KEYS @h[ae]llo
KEYS @h[^a]llo
KEYS @h[^e]llo
KEYS @h[a-f]llo
KEYS @h[f-a]llo
KEYS @h[f-z]llo
KEYS @h[ello
KEYS @h[\e]llo
KEYS @h\ello
KEYS "@h\\ello"
KEYS @*l*l*o
KEYS @*l*l*l*
KEYS @hello*
KEYS @*hello
KEYS @hell
KEYS @hello?
KEYS @
KEYS
KEYS a b
SET "@we[i]rd*" 1
KEYS "@we\\[i\\]rd\\*"
KEYS @we[[]i*
PEXPIREAT @hello 1
KEYS @hello
DEL @hello "@we[i]rd*"
`
