"""Adapters: the user's MCP tools in the form a model's API or an agent framework takes.

    openai.py        the OpenAI API: Chat Completions and Responses
    anthropic.py     the Anthropic API
    langchain.py     LangChain: tools, and middleware for `create_agent`

Each takes a sidecar (a `Sidecar`, a `SyncSidecar`, or anything else that has `tools` and `call`) and asks it
anew every time, so what it gives is always of the current set: **ask again before every request to the
model**, and tools that came late are in it.

What they share:

    source.py          what an adapter needs of a sidecar
    offer.py           a tool as it is offered: name, description, schema
    input_schema.py    the schema of a tool's arguments, without what providers refuse
    schema_keywords.py what they refuse of any schema in it
    schema_tree.py     the schemas in a schema, and its references
    property_names.py  names of arguments, without what providers refuse
    content.py         the result of a tool as texts, images and PDFs
    answer.py          a call whose mistakes become an answer that the model can read
    well_formed.py     texts that can be sent

Only langchain.py, and langchain_agent.py behind it, import a package that is not the standard library's.
"""
