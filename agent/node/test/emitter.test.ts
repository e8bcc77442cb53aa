import assert from "node:assert/strict";
import { test } from "node:test";
import { Emitter } from "../src/emitter.js";
import { strayError } from "./stray-errors.js";

interface Events {
  news: number;
}

function emitter() {
  const heard: string[] = [];
  const hear = (who: string) => (event: number) => heard.push(`${who} ${event}`);
  return { events: new Emitter<Events>(), heard, hear };
}

test("listeners hear in the order in which they came", () => {
  const { events, heard, hear } = emitter();
  events.on("news", hear("a"));
  events.on("news", hear("b"));
  events.emit("news", 1);
  assert.deepEqual(heard, ["a 1", "b 1"]);
});

test("a subscription ends by what on returned, and all of a listener's by off", () => {
  const { events, heard, hear } = emitter();
  const [a, b] = [hear("a"), hear("b")];
  const end = events.on("news", a);
  events.on("news", a);
  events.on("news", b);
  end();
  end();
  events.emit("news", 1);
  assert.deepEqual(heard, ["a 1", "b 1"]);
  events.once("news", a);
  events.off("news", a);
  events.emit("news", 2);
  assert.deepEqual(heard, ["a 1", "b 1", "b 2"]);
});

test("once hears once, also when it causes the next event itself", () => {
  const { events, heard, hear } = emitter();
  events.once("news", (event) => {
    hear("a")(event);
    events.emit("news", 2);
  });
  events.emit("news", 1);
  events.emit("news", 3);
  assert.deepEqual(heard, ["a 1"]);
});

test("a listener that leaves while an event is told hears it no more; one that comes hears the next", () => {
  const { events, heard, hear } = emitter();
  events.on("news", () => {
    leave();
    events.once("news", hear("late"));
  });
  const leave = events.on("news", hear("leaving"));
  events.emit("news", 1);
  assert.deepEqual(heard, []);
  events.emit("news", 2);
  assert.deepEqual(heard, ["late 2"]);
});

test("a listener that throws disturbs nobody, and what it threw is not lost", async (t) => {
  const stray = strayError(t);
  const { events, heard, hear } = emitter();
  events.on("news", () => {
    throw new Error("mine");
  });
  events.on("news", hear("b"));
  events.emit("news", 1);
  assert.deepEqual(heard, ["b 1"]);
  assert.equal(((await stray) as Error).message, "mine");
});

test("what is no listener is refused where it is given", () => {
  const { events } = emitter();
  for (const listener of [undefined, null, {}]) {
    assert.throws(() => events.on("news", listener as never), /the listener of news is no function/);
    assert.throws(() => events.once("news", listener as never), { name: "InvalidArgumentError" });
  }
  events.emit("news", 1);
});
