package glob

import "testing"

func TestGlobs(t *testing.T) {
	for _, tc := range []struct {
		glob, name string
		want       bool
	}{
		{"*", "", true},
		{"*", "anything/at all", true},
		{"read_*", "read_file", true},
		{"read_*", "write_file", false},
		{"a/*", "a/b/c", true},
		{"a?c", "a/c", true},
		{"a?c", "a読c", true},
		{"[rw]*", "write", true},
		{"[^rw]*", "write", false},
		{"[a-c]1", "b1", true},
		{`a\*`, "a*", true},
		{`a\*`, "ab", false},
		{"a[", "a[", true},
		{"a[", "ab", false},
		{"Read", "read", false},
		{"*a*b*c*d", "xaxbxcx", false},
	} {
		if got := Matches(tc.glob, tc.name); got != tc.want {
			t.Errorf("Matches(%q, %q) = %v", tc.glob, tc.name, got)
		}
	}
}

func TestWhatIsExcludedIsNotChosenAlsoWhenIncluded(t *testing.T) {
	for _, tc := range []struct {
		include, exclude []string
		want             bool
	}{
		{nil, nil, true},
		{[]string{}, nil, false},
		{[]string{"x", "f*"}, nil, true},
		{[]string{"x"}, nil, false},
		{nil, []string{"x", "f*"}, false},
		{nil, []string{"x"}, true},
		{[]string{"fs"}, []string{"f*"}, false},
	} {
		if got := Choose(tc.include, tc.exclude, "fs"); got != tc.want {
			t.Errorf("Choose(%q, %q) = %v", tc.include, tc.exclude, got)
		}
	}
}
