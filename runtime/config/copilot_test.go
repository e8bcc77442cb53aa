package config

import "testing"

func TestCopilotExpandsTheVariablesOfAShell(t *testing.T) {
	expandsTo(t, copilotDialect(), map[string]string{
		"${SET} $SET <${EMPTY}>":              "value value <>",
		"${UNSET} $UNSET ${env:UNSET}":        "${UNSET} $UNSET ${env:UNSET}",
		"${UNSET:-d} <${EMPTY:-d}>":           "d <>",
		"${env:SET} ${workspaceFolder}":       "value /project",
		"$(true) {env:SET} ${file:/x} $5 ${}": "$(true) {env:SET} ${file:/x} $5 ${}",
		"API_KEY":                             "API_KEY",
	})
}

func TestVSCodeTakesAVariableThatIsNotSetForEmpty(t *testing.T) {
	expandsTo(t, vscodeDialect(), map[string]string{
		"<${env:UNSET}>|${env:SET}": "<>|value",
		"${UNSET} $SET":             "${UNSET} $SET",
	})
}
