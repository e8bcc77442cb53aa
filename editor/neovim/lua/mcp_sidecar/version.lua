--- The version of the plugin, which is that of the mcp-sidecar it was made with.
return '0.1.0'
