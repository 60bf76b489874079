import type { Node } from "web-tree-sitter";
import { declaredParameters, nodes } from "./step-scripts.ts";

/** Where something is in a script, and the innermost loop around it. */
interface Place {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly loop: number | undefined;
}

/** What runs mocks: a function, or a script's own body. */
export interface Caller {
  readonly name: string;
  readonly parameters: ReadonlySet<string>;
  /** Parameters it passes on, by the command that gets them. */
  readonly passed: ReadonlyMap<string, ReadonlySet<string>>;
  readonly calls: readonly Place[];
  readonly assignments: readonly Place[];
}

const loops = ["do_statement", "while_statement", "for_statement", "foreach_statement"];
const automatic = new Set("_ this args true false null".split(" "));

/** Reads once what each look at a mock needs. */
export function caller(name: string, node: Node): Caller {
  return {
    name,
    parameters: new Set(declaredParameters(node).map((each) => each.name.toLowerCase())),
    passed: passedParameters(node),
    calls: nodes(node, "command_name").map((each) => place(each.text, each)),
    assignments: assignments(node),
  };
}

/** Those of `callers` that run where these are started and those are mocked. */
export function running(
  callers: readonly Caller[],
  started: ReadonlySet<string>,
  mocks: ReadonlySet<string>,
): Caller[] {
  const reached = new Set(callers.filter(({ name }) => started.has(name) && !mocks.has(name)));
  for (const { calls } of reached) {
    for (const each of callers) {
      if (!mocks.has(each.name) && calls.some((call) => call.name === each.name)) reached.add(each);
    }
  }
  return [...reached];
}

/**
 * Variables of a mock's block that are not the test's when the mock runs: scopes are dynamic, so those of whatever calls
 * it come first. An assignment that is made of the very call is none yet.
 *
 * @param mocked name of the command, or function.
 */
export function hiddenFromMock(mocked: string, block: Node, callers: readonly Caller[]): string[] {
  const own = new Set([
    ...assignments(block).map((each) => each.name),
    ...callers.flatMap((each) => [...(each.passed.get(mocked) ?? [])]),
  ]);
  const read = new Set(
    nodes(block, "variable")
      .map(variableName)
      .filter((name) => !own.has(name) && !automatic.has(name)),
  );
  if (read.size === 0) return [];
  return leadingTo(mocked, callers).flatMap(({ from, calls }) => {
    const after = from.assignments.filter(({ end, loop }) =>
      calls.some((call) => call.start >= end || (loop !== undefined && call.loop === loop)),
    );
    const hidden = new Set([...from.parameters, ...after.map((each) => each.name)]);
    return [...read].filter((name) => hidden.has(name)).map((name) => `$${name} is ${from.name}'s`);
  });
}

function passedParameters(below: Node): Map<string, Set<string>> {
  const passed = new Map<string, Set<string>>();
  for (const command of nodes(below, "command")) {
    const name = command.children.find((child) => child?.type === "command_name")?.text ?? "";
    const known = passed.get(name) ?? new Set();
    passed.set(name, known);
    const given = command.children.find((child) => child?.type === "command_elements")?.children;
    for (const each of given ?? []) {
      if (each?.type === "command_parameter") known.add(each.text.slice(1).toLowerCase());
    }
  }
  return passed;
}

function place(name: string, node: Node): Place {
  let around = node.parent;
  while (around && !loops.includes(around.type)) around = around.parent;
  return { name, start: node.startIndex, end: node.endIndex, loop: around?.startIndex };
}

function variableName(node: Node): string {
  return node.text.replace(/^[$@]\{?|\}$/g, "").toLowerCase();
}

function assignments(below: Node): Place[] {
  const plain = nodes(below, "assignment_expression").flatMap((node) => {
    const target = node.children.find((child) => child?.type === "left_assignment_expression");
    // A property of it, or one of its items, leaves the variable what it is.
    return target && /^\$\w+(, *\$\w+)*$/.test(target.text.trim())
      ? nodes(target, "variable").map((each) => place(variableName(each), node))
      : [];
  });
  const looped = nodes(below, "foreach_statement").flatMap((node) => {
    const each = node.children.find((child) => child?.type === "variable");
    return each ? [place(variableName(each), each)] : [];
  });
  return [...plain, ...looped];
}

/** Everything that calls a command, directly or not, and where it does. */
function leadingTo(
  command: string,
  callers: readonly Caller[],
): { readonly from: Caller; readonly calls: readonly Place[] }[] {
  const reached = new Set([command]);
  for (const target of reached) {
    for (const each of callers) {
      if (each.calls.some((call) => call.name === target)) reached.add(each.name);
    }
  }
  return callers
    .filter((from) => from.name !== command && reached.has(from.name))
    .map((from) => ({ from, calls: from.calls.filter((call) => reached.has(call.name)) }));
}
