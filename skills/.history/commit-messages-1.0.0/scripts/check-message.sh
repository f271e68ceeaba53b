#!/bin/sh
# Checks the form of a commit message on standard input. Exit 0 clean, 1 with findings on stdout.
awk '
NR == 1 && length($0) == 0  { print "1: the message is empty"; bad = 1 }
NR == 1 && length($0) > 72  { print "1: subject has " length($0) " characters, the limit is 72"; bad = 1 }
NR == 1 && /\.$/            { print "1: subject ends in a full stop"; bad = 1 }
NR == 2 && length($0) > 0   { print "2: no blank line between subject and body"; bad = 1 }
END { if (NR == 0) { print "1: the message is empty"; bad = 1 } exit bad }
'
