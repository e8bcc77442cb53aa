//go:build !unix

package watch

// linkChanges are none where making a link takes a privilege.
func linkChanges() []change { return nil }
