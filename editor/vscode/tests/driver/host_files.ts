/** The bundle that run.mjs has made of host/*.test.ts: one, since they share a window. */
import { hostTests } from "./host.js";
import { ALLOWED } from "./shared.js";
import { required } from "./world.js";

hostTests(required("MCP_SIDECAR_TEST_HOST"), ALLOWED);
