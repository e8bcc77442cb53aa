package config

import (
	"strconv"
	"strings"
)

// decimal is a decimal number as JSON writes it. Other languages allow a plus
// sign, zeros in front, and nothing on one side of the point. It says no to what
// is not a decimal number in any of them.
func decimal(s string) (literal string, ok bool) {
	s, negative := sign(s)
	whole, rest := digits(s)
	fraction, point := "", false
	if rest, point = strings.CutPrefix(rest, "."); point {
		fraction, rest = digits(rest)
	}
	if whole == "" && fraction == "" {
		return "", false
	}
	if rest != "" {
		if rest[0] != 'e' && rest[0] != 'E' {
			return "", false
		}
		exponent := strings.TrimPrefix(strings.TrimPrefix(rest[1:], "+"), "-")
		if _, after := digits(exponent); exponent == "" || after != "" || len(rest)-len(exponent) > 2 {
			return "", false
		}
	}
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	b.WriteString(whole)
	if fraction != "" {
		b.WriteByte('.')
		b.WriteString(fraction)
	}
	b.WriteString(rest)
	return b.String(), true
}

// prefixed is a number in base 16, 8 or 2 as JSON writes it: 0x, 0o or 0b, with
// a sign before it or not, and not more than 64 bits.
func prefixed(s string) (literal string, ok bool) {
	s, negative := sign(s)
	base := 0
	switch {
	case strings.HasPrefix(s, "0x"):
		base = 16
	case strings.HasPrefix(s, "0o"):
		base = 8
	case strings.HasPrefix(s, "0b"):
		base = 2
	default:
		return "", false
	}
	value, err := strconv.ParseUint(s[2:], base, 64)
	if err != nil {
		return "", false
	}
	literal = strconv.FormatUint(value, 10)
	if negative {
		literal = "-" + literal
	}
	return literal, true
}

func sign(s string) (rest string, negative bool) {
	if rest, negative = strings.CutPrefix(s, "-"); negative {
		return rest, true
	}
	return strings.TrimPrefix(s, "+"), false
}

// digits cuts s behind the decimal digits it begins with.
func digits(s string) (all, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	return s[:len(s)-len(rest)], rest
}
