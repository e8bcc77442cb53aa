//go:build unix

package conformance

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// canary is one secret that is written in one place only. All of it is derived
// from the name of the place.
type canary struct {
	place string
	value string
	// marks are parts of it that stay the same however a text writes the rest:
	// letters and digits, which nothing escapes, at the beginning and at the end,
	// so that half of a secret is found as well.
	marks []string
	// project: it is written out in a file of the project.
	project bool
	// silent: no server gets it in a form that tells where it is from.
	silent bool
}

// aviary has every canary of a test, and what has to exist for them beside the
// files in which they are planted. The test's goroutine owns it.
type aviary struct {
	w        *world
	canaries map[string]*canary // by place
	// environment is that of the sidecar, values by name.
	environment map[string]string
	inputs      map[string]string // values of ${input:id}
	project     bool              // a file of the project is being planted
}

func newAviary(w *world) *aviary {
	return &aviary{w: w, canaries: map[string]*canary{}, environment: map[string]string{}, inputs: map[string]string{}}
}

// digits are n letters and digits that belong to a place.
func digits(place string, n int) string {
	sum := sha256.Sum256([]byte(place))
	return hex.EncodeToString(sum[:])[:n]
}

// letters are digits without digits.
func letters(place string, n int) string {
	return strings.Map(func(r rune) rune {
		if r <= '9' {
			return r - '0' + 'g'
		}
		return r
	}, digits(place, n))
}

// bird is the canary of a place, in one of these kinds.
func (a *aviary) bird(kind, place string) *canary {
	if c := a.canaries[place]; c != nil {
		return c
	}
	first, last := "q7"+digits(place, 10), digits(place+" end", 11)+"z"
	c := &canary{place: place, value: first + last, marks: []string{first, last}, project: a.project}
	switch kind {
	case "weak": // nothing but where it stands says that it is one
		word := letters(place, 14)
		c.value, c.marks = "horse-"+word+"-staple", []string{word}
	case "odd": // every writer escapes some of it
		c.value = first + `"\&<é+/ %` + last
	case "token": // what may also be a name
		c.value = "ghp_" + first + last
	case "number":
		word := strings.Map(func(r rune) rune { return '1' + r%9 }, digits(place, 20))
		c.value, c.marks = word, []string{word[:10], word[10:]}
	}
	for _, mark := range c.marks {
		c.marks = append(c.marks, inBase64(mark)...)
	}
	a.canaries[place] = c
	return c
}

// inBase64 is what does not change of a text in base64, by whatever it follows.
func inBase64(text string) []string {
	var marks []string
	for before := range 3 {
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("-", before) + text))
		// The first characters depend on what is before, the last on what follows.
		marks = append(marks, coded[(before*4+2)/3:len(coded)-2])
	}
	return marks
}

var nest = regexp.MustCompile(`%\{(?:(\w+):)?((?:(?:inert|plain|url|inherited) )*)([\w-]+)\}`)

// plant puts canaries in the place of what a text says of them:
//
//	%{PLACE} %{token:PLACE} %{weak:PLACE} %{odd:PLACE} %{number:PLACE}  one of that kind; an odd one as in a JSON string
//	%{env:PLACE}             the name of a variable that holds one
//	%{cmd:PLACE}             a command that prints one
//	%{file:PLACE} %{line:PLACE} %{envfile:PLACE}  the path of a file that holds some, one, or variables
//	%{input:PLACE}           the id of an input whose value is one
//	%{userinfo:PLACE} %{basic:PLACE}  user and password, as in a URL and as in a header
//
// Before PLACE, "inert" says that no server gets it, "inherited" that one gets
// it with the environment, and "plain" that it has to pass as it is.
func (a *aviary) plant(text string) string {
	return nest.ReplaceAllStringFunc(text, func(found string) string {
		parts := nest.FindStringSubmatch(found)
		kind, how, place := parts[1], parts[2], parts[3]
		out := a.hatch(kind, how, place)
		for name, c := range a.canaries {
			if how != "" && how != "plain " && how != "url " && (name == place || strings.HasPrefix(name, place+" ")) {
				c.silent = true
			}
		}
		return out
	})
}

func (a *aviary) hatch(kind, how, place string) string {
	written := a.project
	outside := func(kind, place string) string { // of the files in which it is referred to
		a.project = false
		defer func() { a.project = written }()
		return a.bird(kind, place).value
	}
	file := func(text string) string {
		path := a.w.path("home/secrets/" + place)
		a.w.write(path, []byte(text))
		return path
	}
	switch kind {
	case "env":
		name := "CANARY_" + strings.ToUpper(strings.ReplaceAll(place, "-", "_"))
		kind := "odd"
		if strings.Contains(how, "plain") || strings.Contains(how, "url") {
			kind = ""
		}
		a.environment[name] = outside(kind, place)
		return name
	case "cmd":
		return "cat " + file(outside("", place)+"\n")
	case "line":
		return file(outside("", place) + "\n")
	case "file":
		return file(outside("", place) + "\n" + outside("odd", place+" line 2") + "\n")
	case "envfile":
		return file(fmt.Sprintf("LEAK_FILE=%s\nexport LEAK_FILE_QUOTED='%s'\n", outside("", place), outside("odd", place+" quoted")))
	case "input":
		a.inputs[place] = outside("", place)
		return place
	case "userinfo":
		return url.UserPassword(a.bird("", place).value, a.bird("odd", place+" password").value).String()
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte(a.bird("", place).value + ":" + a.bird("odd", place+" password").value))
	case "odd":
		quoted, err := json.Marshal(a.bird(kind, place).value)
		if err != nil {
			a.w.t.Fatal(err)
		}
		return string(quoted[1 : len(quoted)-1])
	}
	return a.bird(kind, place).value
}

// found are the places of those canaries of which a text has any part.
func (a *aviary) found(text string) map[string]string {
	all := map[string]string{}
	for place, c := range a.canaries {
		for _, mark := range c.marks {
			if i := strings.Index(text, mark); i >= 0 {
				all[place] = strings.ToValidUTF8(text[max(0, i-150):min(len(text), i+len(mark)+60)], "?")
				break
			}
		}
	}
	return all
}
