/**
 * Rows out of the scripts that ship: a statement or a function of theirs, with values for its variables, and stand-ins for the
 * commands that it calls.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "../../rehearsal/powershell/parser.ts";
import { visit } from "../../rehearsal/powershell/subset.ts";
import type * as Syntax from "../../rehearsal/powershell/syntax.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { anyValues } from "./composed-rows.ts";

export interface ShippedScript {
  readonly text: string;
  readonly body: Syntax.ScriptBody;
}

export function shippedScripts(): readonly ShippedScript[] {
  const files = ["components", "images"].flatMap((room) => {
    const folder = join(projectRoot, room);
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((each) => each.endsWith(".ps1") && !each.includes("node_modules"))
      .map((each) => join(folder, each));
  });
  return files.sort().map((file) => {
    const text = readFileSync(file, "utf8").replaceAll("\r\n", "\n");
    return { text, body: parse({ path: file, text }) };
  });
}

/** Cmdlets that stay themselves; every other command gets a stand-in. */
const kept = /^(where|foreach|select|sort|new)-object$|^(join|split)-path$|^select-string$/i;

/** Differs from run to run, does not end, or reads or changes this host. */
const unwanted =
  /\b(exit|Set-StrictMode|Import-Module|Add-Type|while|do|LASTEXITCODE|PSBoundParameters|PID|Error|Host|PSVersionTable|ScriptStackTrace)\b|\[(System\.)?(IO\.(File|Directory)|Environment|Console|Diagnostics|Net\.|Security|Reflection|Runtime|Microsoft|Threading|Guid)|\$(global|script|env):|PSScriptRoot|Now\b|NewGuid|2>|GB\b/i;

const isStatement = /^(Pipeline|Assignment|If|ForEach|Try|Throw|Return|For|FunctionDefinition)$/;

interface Source {
  readonly text: string;
  /** Names of variables, with those of the members that are taken of each. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
  readonly assigned: ReadonlySet<string>;
  readonly commands: readonly string[];
  readonly called?: Syntax.FunctionDefinition;
}

const isOwn = /^(_|true|false|null|args|input|matches|this)$/i;

function sourceOf(text: string, node: Syntax.Statement): Source {
  const variables = new Map<string, string[]>();
  const assigned = new Set<string>();
  const commands = new Set<string>();
  visit(node, (each) => {
    if (each.kind === "Variable" && !isOwn.test(each.name)) {
      const name = each.name.toLowerCase();
      variables.set(name, variables.get(name) ?? []);
    }
    if (each.kind === "Assignment" && each.target.kind === "Variable") {
      assigned.add(each.target.name.toLowerCase());
    }
    if (each.kind === "ForEach") assigned.add(each.variable.name.toLowerCase());
    if (
      each.kind === "Member" &&
      each.object.kind === "Variable" &&
      !isOwn.test(each.object.name)
    ) {
      const name = each.object.name.toLowerCase();
      variables.set(name, [...(variables.get(name) ?? []), each.name]);
    }
    if (each.kind === "Command" && each.name.kind === "Constant") {
      const { value } = each.name;
      if (typeof value === "string") commands.add(value);
    }
  });
  const called = node.kind === "FunctionDefinition" ? node : undefined;
  called?.body.parameters?.forEach(({ name }) => assigned.add(name.toLowerCase()));
  const standIns = [...commands].filter(
    (each) => !kept.test(each) && /^[\w-]+$/.test(each) && each !== called?.name,
  );
  return { text, variables, assigned, commands: standIns, ...(called && { called }) };
}

export class ShippedRows {
  readonly #sources: Source[] = [];
  /** Texts and numbers of the scripts themselves. */
  readonly #constants: string[] = [];

  constructor(
    private readonly random: () => number,
    scripts: readonly ShippedScript[],
  ) {
    for (const { text, body } of scripts) {
      visit(body, (node) => {
        const own = text.slice(node.position.start, node.position.end);
        if (node.kind === "Constant" && /^('[^'\n]{0,60}'|\d+)$/.test(own))
          this.#constants.push(own);
        if (!isStatement.test(node.kind) || own.length > 1300 || unwanted.test(own)) return;
        this.#sources.push(sourceOf(own, node as Syntax.Statement));
      });
    }
  }

  next(): string {
    const source = this.#pick(this.#sources);
    const standIns = source.commands.map((name) => `function ${name} { ${this.#standIn()} }`);
    const { variables, assigned, called } = source;
    const needed = [...variables].filter(([name]) => !assigned.has(name) || this.#chance(0.3));
    const given = needed.map(([name, members]) => `$${name} = ${this.#valueWith(members)}`);
    const shown = called
      ? [`${called.name} ${this.#arguments(called, variables)}`]
      : [...assigned].map((name) => `$${name}`);
    const row = [...standIns, ...given, source.text, ...shown].join("; ");
    return this.#chance(0.15) ? `function zz { ${row} }; $r = zz; $null -eq $r; $r` : row;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  #chance(of: number): boolean {
    return this.random() < of;
  }

  #value(): string {
    return this.#pick(this.#chance(0.5) ? this.#constants : anyValues);
  }

  /** A value with these members, as often as not. */
  #valueWith(members: readonly string[]): string {
    const own = [...new Set(members)].filter(
      (name) => !/^(Count|Length|Keys|Values|PSObject)$/i.test(name),
    );
    if (own.length === 0 || this.#chance(0.3)) return this.#value();
    const pairs = own.map((name) => `${name} = ${this.#value()}`);
    return `[pscustomobject] @{ ${pairs.join("; ")} }`;
  }

  #standIn(): string {
    return this.#pick([
      "",
      this.#value(),
      `${this.#value()}; ${this.#value()}`,
      "$args",
      "throw 'no'",
    ]);
  }

  #arguments(
    { body: { parameters = [] } }: Syntax.FunctionDefinition,
    variables: Source["variables"],
  ): string {
    const given = parameters.flatMap(({ name, type }) => {
      if (this.#chance(0.1)) return [];
      if (type?.name.toLowerCase() === "switch") return [`-${name}`];
      return [`-${name} (${this.#valueWith(variables.get(name.toLowerCase()) ?? [])})`];
    });
    return given.join(" ");
  }
}
