package runtime

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// ineffective warns of what a host asked for in words that nobody knows: a
// misspelt trust.project would start what it was meant to stop.
func ineffective(c *rpc.Capabilities, s *rpc.Settings) []rpc.Diagnostic {
	var found []rpc.Diagnostic
	if c != nil {
		found = warnOfUnknown(found, "capabilities", reflect.ValueOf(c))
	}
	if s != nil {
		found = warnOfUnknown(found, "settings", reflect.ValueOf(s))
	}
	return found
}

// warnOfUnknown adds a warning for the object at path, and for those in it, if
// it has unknown members.
func warnOfUnknown(found []rpc.Diagnostic, path string, object reflect.Value) []rpc.Diagnostic {
	if object.Kind() != reflect.Pointer || object.IsNil() || object.Elem().Kind() != reflect.Struct {
		return found
	}
	object = object.Elem()
	var known []string
	var unknown rpc.Unknown
	for i := range object.NumField() {
		if u, ok := object.Field(i).Interface().(rpc.Unknown); ok {
			unknown = u
			continue
		}
		name, _, _ := strings.Cut(object.Type().Field(i).Tag.Get("json"), ",")
		known = append(known, name)
		found = warnOfUnknown(found, path+"."+name, object.Field(i))
	}
	if len(unknown) == 0 {
		return found
	}
	text := "unknown, and without effect: " + quoted(slices.Sorted(maps.Keys(unknown))) +
		"; known: " + strings.Join(known, ", ")
	return append(found, rpc.Diagnostic{
		Path: path, Error: shortened(text, errorBytes), Severity: rpc.SeverityWarning,
	})
}
