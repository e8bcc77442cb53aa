/**
 * A Transport carries whole JSON-RPC messages, as JSON texts, to one sidecar and back. How they are framed,
 * and whether a process, a socket or a test is at the other end, is the transport's own affair.
 */
import type { SidecarClosedError } from "./errors.js";

/** The one who reads a transport: the client that it was given to. */
export interface TransportListener {
  /** message is one whole JSON text. Messages come in the order in which they were sent. */
  message(text: string): void;
  /** closed comes exactly once, and nothing comes after it. */
  closed(reason: SidecarClosedError): void;
}

/** A Transport belongs to the one client that it was given to. */
export interface Transport {
  /** peer says what is at the other end, for the texts of errors: the path of a program, an address. */
  readonly peer?: string | undefined;
  /** listen is called once, before anything can arrive. */
  listen(listener: TransportListener): void;
  /**
   * send takes one JSON text, which may contain line breaks. It neither throws nor waits; what is sent after
   * the end is dropped.
   */
  send(text: string): void;
  /**
   * hold says whether an answer is awaited. Only while one is may the transport keep the program from ending,
   * and it begins as if told false. One that cannot keep a program alive does nothing here.
   */
  hold(waiting: boolean): void;
  /** close ends it by force, and resolves when it is gone. It never rejects, and may be called again. */
  close(): Promise<void>;
}
