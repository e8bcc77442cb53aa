package main

import (
	"context"
	"log/slog"

	"github.com/spf13/pflag"
)

// The words of the command line; serve has none.
const (
	cmdServe  = ""
	cmdList   = "list"
	cmdCall   = "call"
	cmdTrust  = "trust"
	cmdDoctor = "doctor"
	cmdConfig = "config"
	cmdAttach = "attach"
	cmdMCP    = "mcp"
	cmdHelp   = "help"
)

// command is what a word of the command line has done.
type command struct {
	name string
	// wrong says what is wrong with the words after it; "" if nothing is.
	wrong func(words []string) string
	run   func(ctx context.Context, f *flags, w *world, log *slog.Logger, words []string) int
	// flags add those it has beside the flags of all commands.
	flags []func(*flags, *pflag.FlagSet)
	help  string // before the options
}

func commands() []command {
	asJSON, trusting, patient, forClient := (*flags).addJSON, (*flags).addTrust, (*flags).addTimeout, (*flags).addClient
	offering, waiting := (*flags).addOffer, (*flags).addWait
	connecting := []func(*flags, *pflag.FlagSet){asJSON, trusting, patient, forClient}
	return []command{
		{cmdList, alone(cmdList), list, connecting, listHelp},
		{cmdCall, callUsage, call, connecting, callHelp},
		{cmdTrust, trustUsage, trustCommand, []func(*flags, *pflag.FlagSet){asJSON}, trustHelp},
		{cmdDoctor, doctorUsage, doctor, connecting, doctorHelp},
		{cmdAttach, alone(cmdAttach), attach, nil, attachHelp},
		{cmdMCP, alone(cmdMCP), mcpServer, []func(*flags, *pflag.FlagSet){offering, waiting, forClient, trusting, patient}, mcpHelp},
		{cmdConfig, alone(cmdConfig), configuration, []func(*flags, *pflag.FlagSet){asJSON, trusting, forClient}, configHelp},
	}
}

// alone is for a command without words after it.
func alone(name string) func([]string) string {
	return func(words []string) string {
		if len(words) > 0 {
			return name + " takes no arguments"
		}
		return ""
	}
}
