/** What is no text in a result: its size, and which file it makes. And names of files. Pure. */

/** A Kind says what the editor can do with it. */
export type Kind = "image" | "other";

interface MediaType {
  readonly ending: string;
  readonly kind: Kind;
}

/** The types that VS Code shows as images, and others that have a usual ending. */
const TYPES: ReadonlyMap<string, MediaType> = new Map([
  ["image/png", { ending: "png", kind: "image" }],
  ["image/jpeg", { ending: "jpg", kind: "image" }],
  ["image/jpg", { ending: "jpg", kind: "image" }],
  ["image/gif", { ending: "gif", kind: "image" }],
  ["image/webp", { ending: "webp", kind: "image" }],
  ["image/bmp", { ending: "bmp", kind: "image" }],
  ["image/avif", { ending: "avif", kind: "image" }],
  ["image/x-icon", { ending: "ico", kind: "image" }],
  ["image/svg+xml", { ending: "svg", kind: "other" }],
  ["audio/mpeg", { ending: "mp3", kind: "other" }],
  ["audio/mp3", { ending: "mp3", kind: "other" }],
  ["audio/wav", { ending: "wav", kind: "other" }],
  ["audio/x-wav", { ending: "wav", kind: "other" }],
  ["audio/ogg", { ending: "ogg", kind: "other" }],
  ["audio/flac", { ending: "flac", kind: "other" }],
  ["application/pdf", { ending: "pdf", kind: "other" }],
  ["application/zip", { ending: "zip", kind: "other" }],
  ["application/gzip", { ending: "gz", kind: "other" }],
  ["application/json", { ending: "json", kind: "other" }],
  ["text/plain", { ending: "txt", kind: "other" }],
  ["text/html", { ending: "html", kind: "other" }],
  ["text/csv", { ending: "csv", kind: "other" }],
]);

/** mediaType is what a server's word for a type stands for. What is not known is bytes. */
export function mediaType(mimeType: string | undefined): MediaType {
  const name = String(mimeType ?? "")
    .split(";", 1)[0]
    ?.trim()
    .toLowerCase();
  return TYPES.get(name ?? "") ?? { ending: "bin", kind: "other" };
}

/** bytesIn is how many bytes a base64 text has, about. */
export function bytesIn(base64: string | undefined): number {
  const text = base64 ?? "";
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((text.length * 3) / 4) - padding);
}

/** sizeOf says it. */
export function sizeOf(base64: string | undefined): string {
  return sizeText(bytesIn(base64));
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** safe is a name as part of a path. */
export function safe(name: string): string {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80) || "_";
}
