/** Runs scripts by walking their syntax trees. */
import { channel } from "node:diagnostics_channel";
import { bind, bindInput, splat, type Bound } from "./binding.ts";
import type { Argument, BlockOptions, Cmdlet, Emit, Invocation, Shell } from "./commands.ts";
import {
  convert,
  eachOf,
  enumerated,
  fromItems,
  inAnyOrder,
  isNumeric,
  numberIn,
  toBool,
  toCustomObject,
  toItems,
  toText,
  tryConvert,
} from "./convert.ts";
import {
  commandNotFound,
  complete,
  located,
  placed,
  report,
  runtimeException,
  shownMessage,
  terminating,
} from "./errors.ts";
import type { ScriptHost } from "./host.ts";
import {
  callMethod,
  callStatic,
  getProperty,
  getStatic,
  propertyCollection,
  setProperty,
} from "./members.ts";
import { binary, negate } from "./operators.ts";
import { functionSignature, type Signature } from "./parameters.ts";
import { ScriptSyntaxError } from "./lexer.ts";
import { parse } from "./parser.ts";
import { Scope, type FunctionValue } from "./scope.ts";
import { cmdletStage, gathering, program, type Runnable, type Stage } from "./stages.ts";
import { wildcard } from "./regex.ts";
import { check, knownAliases, scriptOf, visit, type Script } from "./subset.ts";
import * as Syntax from "./syntax.ts";
import * as is from "./types.ts";
import { raised, runtimeError, typeOf, type Reference, type Types } from "./types.ts";
import {
  Char,
  CustomObject,
  ErrorRecord,
  Hashtable,
  isNull,
  NetException,
  NetObject,
  NetType,
  nothing,
  Num,
  PsArray,
  Raised,
  ScriptBlock,
  Unsupported,
  type Value,
} from "./values.ts";

/** Publishes the script's text and the offset of each statement before it runs, to measure test coverage. */
const statementsRun = channel("powershell.statements");

/** Those that fill an `@( )`, which may count what has no order. */
const listsOf = new WeakSet<Emit>();

type Statements = readonly Syntax.Statement[];
type Ends = Syntax.Flow["kind"] | object;
type Loop = Syntax.Loop | Syntax.For | Syntax.ForEach;

/** Thrown to end a loop, a body, a script or a pipeline. */
class Signal extends Error {
  /** What the values that it broke off had output until then. It becomes output of the statement. */
  unused: Value[] = [];

  constructor(
    readonly ends: Ends,
    readonly code = 0,
  ) {
    super("a break, continue, return or exit outside of what it ends");
  }
}

/** A command with the values of its name and its arguments. */
interface Written {
  readonly command: Syntax.Command;
  readonly named: Value;
  readonly args: readonly Argument[];
}

/** Awaits a run. Returns the signal that ended it, if it is one of `ends`. */
async function until(ends: Ends[], run: void | Promise<unknown>): Promise<Signal | undefined> {
  try {
    await run;
    return undefined;
  } catch (error) {
    if (error instanceof Signal && ends.includes(error.ends)) return error;
    throw error;
  }
}

/** Continues with a value, synchronously if it is no promise: on an emulated CPU every promise costs time. */
function after<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

const unary = new Map<string, (value: Value) => Value>([
  ["-not", (value) => !toBool(value)],
  ["!", (value) => !toBool(value)],
  ["-", negate],
  [",", (value) => is.array([value])],
]);

/** They have the value of their right operand before that of the left one. */
const listOnTheRight = new Set(["-in", "-notin", "-cin", "-cnotin"]);

/** Read-only automatic variables: their values as functions of the script's path. */
const automatics = new Map<string, (path: string) => Value>([
  ["true", () => true],
  ["false", () => false],
  ["null", () => null],
  ["psscriptroot", (path) => (path.startsWith("<") ? "" : folderOf(path))],
]);

/** Variables that PowerShell has set, and scripts may set, which is all that they do with them. */
const ownVariables =
  /^(\w+preference|consolefilename|e(nabledexperimentalfeatures|rrorview)|formatenumerationlimit|maximum\w+count|outputencoding|ps(commandpath|defaultparametervalues|emailserver|nativecommand\w+|session\w+|style|versiontable))$/i;

export interface InterpreterOptions {
  readonly host: ScriptHost;
  readonly types: Types;
  readonly cmdlets: readonly Cmdlet[];
  /** Global variables that are set before a script runs, by name. */
  readonly variables?: Readonly<Record<string, Value>>;
  /** Whether a script may contain an unknown command, by its name in lower case. Default: no. */
  readonly mayCall?: (name: string) => boolean;
  /** Whether a module, by its name or its file's path, has nothing but cmdlets that are there anyway. Default: none. */
  readonly isOwnModule?: (name: string) => boolean;
}

export class Interpreter implements Shell {
  readonly host: ScriptHost;
  readonly types: Types;
  readonly #options: InterpreterOptions;
  readonly #cmdlets = new Map<string, Cmdlet>();
  /** Scripts that use nothing unknown. */
  readonly #checked = new Set<Script>();
  /** Functions of modules that use something unknown. */
  readonly #refused = new Map<Syntax.ScriptBody, Unsupported>();
  readonly #modules = new Set<string>();
  readonly #signatures = new Map<Syntax.ScriptBody, Signature>();
  #scope: Scope;
  /** Depth of nested try blocks, across functions. Within one, every error ends the block. */
  #tries = 0;
  /** How many bodies run, each called by the one before. */
  #depth = 0;
  /** The body that runs, if it is the one that has made the scope. */
  #own: Syntax.ScriptBody | undefined;
  /** The error that the current catch block handles, for a `throw` without a value. */
  #caught: Raised | undefined;

  constructor(options: InterpreterOptions) {
    this.#options = options;
    const { host, types, cmdlets, variables } = options;
    this.host = host;
    this.types = types;
    cmdlets.forEach((cmdlet) => this.#cmdlets.set(cmdlet.name.toLowerCase(), cmdlet));
    this.#scope = new Scope(undefined, true);
    const globals = { ...variables, ErrorActionPreference: "Continue" };
    Object.entries(globals).forEach(([name, value]) => this.#scope.setVariable(name, value));
  }

  /** Runs a script file as powershell.exe -File does: in the global scope. Returns its exit code. */
  runFile(path: string, args: readonly string[], emit: Emit): Promise<number> {
    return this.#run(() => this.#script(this.#read(path), fileArguments(args), emit, "."));
  }

  /** Runs a text as powershell.exe -Command does. Returns its exit code. */
  runCommand(text: string, emit: Emit): Promise<number> {
    const script = scripts.get(text) ?? readScript({ path: "<command line>", text });
    return this.#run(() => this.#script(script, [], emit, "."));
  }

  async #run(script: () => Promise<number | undefined>): Promise<number> {
    try {
      return (await script()) ?? 0;
    } catch (error) {
      // Outside a loop they end everything.
      if (error instanceof Signal && (error.ends === "Break" || error.ends === "Continue"))
        return 0;
      if (!(error instanceof Raised)) throw error;
      const at = error.record?.position;
      const place = at ? `${Syntax.placeOf(at)}: ` : "";
      this.host.error(`${place}${shownMessage(error)}\n`);
      return 1;
    }
  }

  // Scripts and functions

  #read(path: string): Script {
    const data = this.host.files.read(path);
    const text = data.toString("utf8").replace(/^\ufeff/, "");
    const script = scripts.get(text) ?? readScript({ path, text });
    scripts.set(text, script);
    Syntax.sourceFiles.set(script.body.position.file, { path, text });
    return script;
  }

  #dotSourced(script: Script, all = new Set([script])): Set<Script> {
    const { files } = this.host;
    const { isOwnModule } = this.#options;
    const modules = script.modules.filter((each) => isOwnModule?.(each) !== true);
    for (const below of [...script.sourced, ...modules]) {
      const folder = folderOf(Syntax.fileOf(script.body.position).path) + files.separator;
      const path = files.resolve(/^\w:/.test(below) ? below : folder + below);
      const sourced = files.status(path) && this.#read(path);
      if (sourced && !all.has(sourced)) {
        this.#dotSourced(sourced, all.add(sourced));
      }
    }
    return all;
  }

  /** `&` runs a script in a child scope, `.` in the current one. Returns the code of `exit`, if called. */
  async #script(
    script: Script,
    args: readonly Argument[],
    emit: Emit,
    how: "&" | ".",
  ): Promise<number | undefined> {
    const { body } = script;
    const { path } = Syntax.fileOf(body.position);
    this.#check(script);
    const name = path.slice(path.search(/[^\\/]*$/));
    const scope = how === "." ? this.#scope : new Scope(this.#scope, true);
    const run = () => this.#body({ name, body }, args, emit);
    return (await until(["Exit"], this.#inScope(scope, run)))?.code;
  }

  #check(script: Script): void {
    if (this.#checked.has(script)) return;
    const all = this.#dotSourced(script);
    const refused = check([...all], {
      ...this.#options,
      cmdlets: this.#cmdlets,
      isFunction: (name) => this.#scope.findFunction(name) !== undefined,
    });
    refused.forEach((problem, body) => this.#refused.set(body, problem));
    all.forEach((each) => this.#checked.add(each));
  }

  async importModule(path: string): Promise<void> {
    if (this.#options.isOwnModule?.(path)) return;
    if (!/\.psm1$/i.test(path)) throw new Unsupported(`the module ${path}`);
    const { global } = this.#scope;
    const name = path.replace(/^.*[\\/]|\.psm1$/gi, "");
    const script = this.#read(this.host.files.resolve(path));
    this.#check(script);
    const module = new Scope(global, true);
    const show = () => {
      throw new Unsupported(`the output of the module ${name}`);
    };
    await this.#inScope(module, () => this.#body({ name, body: script.body }, [], show));
    const patterns = (module.exports.length > 0 ? module.exports : ["*"]).map((each) =>
      wildcard(each),
    );
    for (const each of module.functions) {
      module.setFunction(each.name, { ...each, module });
      if (patterns.some((pattern) => pattern.test(each.name))) {
        global.setFunction(each.name, { ...each, module });
      }
    }
    this.#modules.add(name.toLowerCase());
  }

  hasModule(name: string): boolean {
    return this.#modules.has(name.toLowerCase());
  }

  async #inScope<T>(scope: Scope, run: () => Promise<T> | T): Promise<T> {
    const outer = this.#scope;
    this.#scope = scope;
    try {
      return await run();
    } finally {
      this.#scope = outer;
    }
  }

  /** Binds the arguments, then runs the statements in the current scope. */
  async #body(
    func: FunctionValue,
    args: readonly Argument[],
    emit: Emit,
    input?: Value[],
    /** What was bound for the input before. */
    again?: Bound,
  ): Promise<Bound | undefined> {
    const { forEachInput, statements } = func.body;
    const scope = this.#scope;
    const own = this.#own;
    this.#own = again || !scope.variables.has("args") ? func.body : undefined;
    const signature = this.#signatures.get(func.body) ?? (await functionSignature(func, this));
    this.#signatures.set(func.body, signature);
    // A plain function does not look at its arguments then.
    if (input?.length === 0 && forEachInput && !signature.strict) return undefined;
    const bound = again ?? bind(signature, args, input !== undefined && forEachInput);
    const { rest, values } = bound;
    if (bound.piped?.defaultValue) throw new Unsupported("a default of what is piped");
    if (input && forEachInput) {
      for (const value of input) {
        scope.setVariable("_", value);
        bindInput(bound, value);
      }
    } else if (input) {
      if (signature.formals.some(({ isPiped }) => isPiped)) {
        throw new Unsupported(`input of ${func.name}, which has no process block`);
      }
      scope.setVariable("input", is.array(input));
    } else if (forEachInput) {
      scope.setVariable("_", null);
    }
    const given = new Hashtable(is.boundParameters);
    const preference = values.get("erroraction");
    if (preference !== undefined) {
      const action = convert(preference, is.actionPreference);
      given.set("ErrorAction", action);
      scope.setVariable("ErrorActionPreference", action);
    }
    scope.setVariable("args", is.array(rest));
    for (const formal of signature.formals) {
      const { name, key, type, validators, defaultValue } = formal;
      let value = values.get(key);
      if (value !== undefined) given.set(name, value);
      if (again && formal !== bound.piped) continue;
      if (value === undefined && defaultValue) {
        value = await this.#default(defaultValue);
        const isOpen =
          (type === is.bool && typeof value !== "boolean") ||
          (type === is.string && enumerated(value) !== undefined);
        const converted = type && !isOpen ? tryConvert(value, type) : value;
        if (converted === undefined || isOpen)
          throw new Unsupported(`the default value of $${name}`);
        value = converted;
      } else if (value === undefined) {
        value = (type && type !== is.char ? tryConvert(null, type) : null) ?? null;
      }
      scope.variables.set(key, { value, type, validators });
    }
    scope.setVariable("PSBoundParameters", given);
    this.#depth++;
    try {
      // PowerShell's own limit depends on its stack.
      if (this.#depth > 500) throw new Unsupported("so many calls within each other");
      if (input?.length !== 0 || !forEachInput) {
        await until(["Return"], this.#statements(statements, emit));
      }
    } finally {
      this.#own = own;
      this.#depth--;
    }
    return bound;
  }

  async invoke({ body }: ScriptBlock, options: BlockOptions, emit: Emit): Promise<void> {
    const { args = [], child, underscore, self } = options;
    const given = args.map((value) => ({ value, position: body.position }));
    const run = () => this.#body({ name: "", body }, given, emit);
    const withThis = () => this.#with("this", self, run);
    const scope = child ? new Scope(this.#scope) : this.#scope;
    await this.#inScope(scope, () => this.#with("_", underscore, withThis));
  }

  async evaluate(block: ScriptBlock, options: BlockOptions): Promise<Value> {
    return fromItems(await collect((emit) => this.invoke(block, options, emit)));
  }

  /** Runs a function while a variable of the current scope has a value. Undefined leaves the variable as it is. */
  async #with(name: string, value: Value | undefined, run: () => Promise<unknown>): Promise<void> {
    if (value === undefined) {
      await run();
      return;
    }
    const { variables } = this.#scope;
    const before = variables.get(name);
    variables.set(name, { value });
    try {
      await run();
    } finally {
      if (before) {
        variables.set(name, before);
      } else {
        variables.delete(name);
      }
    }
  }

  variable(name: string): Value | undefined {
    return this.#scope.find(name)?.value;
  }

  isCommand(name: string): boolean {
    const { programs } = this.host;
    const own = this.#scope.findFunction(name) ?? this.#cmdlets.get(name.toLowerCase());
    return (own ?? programs.find(name)) !== undefined;
  }

  // Statements

  async #statements(statements: Statements, emit: Emit): Promise<void> {
    for (const statement of statements) {
      publish(statement);
      try {
        await this.#statement(statement, emit);
      } catch (thrown) {
        if (thrown instanceof Signal) await handOn(thrown.unused.splice(0), emit);
        // PowerShell outputs what came before the error, which is not modelled.
        if (thrown instanceof Raised && thrown.hasLostOutput && isBracketed(statement)) {
          throw new Unsupported("the output before an error").at(statement.position);
        }
        const error = placed(thrown, statement.position);
        const preference = this.#scope.errorAction;
        const goesOn = this.#tries === 0 && !/^stop$/i.test(preference);
        if (!(error instanceof Raised) || error.terminating || !goesOn) throw error;
        report(error, preference, this.host);
      }
    }
  }

  #statement(statement: Syntax.Statement, emit: Emit): void | Promise<void> {
    switch (statement.kind) {
      case "Pipeline":
        return this.#pipeline(statement, emit);
      case "Assignment":
        return after(this.#assignment(statement), () => undefined);
      case "If":
        return this.#if(statement, emit);
      case "While":
      case "DoLoop":
      case "For":
      case "ForEach":
        return this.#loop(statement, emit);
      case "Try":
        return this.#try(statement, emit);
      case "FunctionDefinition":
        this.#scope.setFunction(statement.name, statement);
        return;
      case "Throw":
      case "Return":
      case "Exit":
      case "Break":
      case "Continue":
        return this.#flow(statement, emit);
    }
  }

  async #if({ clauses, otherwise = [] }: Syntax.If, emit: Emit): Promise<void> {
    for (const { condition, body } of clauses) {
      if (toBool(await this.#value(condition))) return this.#statements(body, emit);
    }
    return this.#statements(otherwise, emit);
  }

  async #flow(statement: Syntax.Flow, emit: Emit): Promise<never> {
    const { kind, value } = statement;
    if (kind === "Throw") throw await this.#thrown(statement);
    if (kind === "Return" && value) {
      await this.#statement(value, emit);
    }
    const code = kind === "Exit" && value ? await this.#value(value) : 0;
    throw new Signal(kind, Number(tryConvert(code, is.int) ?? 0));
  }

  /** A statement's output as one value. The value of an expression is not unrolled. */
  #value(statement: Syntax.Statement): Value | Promise<Value> {
    if (statement.kind === "Assignment") return this.#assignment(statement);
    if (isExpression(statement)) return this.expression(statement.elements[0].expression);
    return after(
      valueOf((emit) => this.#statement(statement, emit)),
      fromItems,
    );
  }

  async #loop(statement: Loop, emit: Emit): Promise<void> {
    const { items, show } =
      statement.kind === "ForEach"
        ? await this.#collection(statement.collection, emit)
        : { items: [], show: emit };
    for await (const body of this.#rounds(statement, items)) {
      const signal = await until(["Break", "Continue"], this.#statements(body, show));
      if (signal?.ends === "Break") return;
    }
  }

  /** What foreach goes through: what a command outputs, as it is, or else the elements of a value. */
  async #collection(
    statement: Syntax.Statement,
    emit: Emit,
  ): Promise<{ readonly items: Iterable<Value>; readonly show: Emit }> {
    if (statement.kind !== "Assignment" && !isExpression(statement)) {
      return { items: await valueOf((each) => this.#statement(statement, each)), show: emit };
    }
    const value = await this.#value(statement);
    const items = isNull(value) ? [] : eachOf(value, undefined, inAnyOrder(value));
    // Without an order, there is none of what the loop outputs.
    const show: Emit = (each) => {
      toItems(value);
      return emit(each);
    };
    return { items, show };
  }

  /** Yields a loop's body each time it is to run. */
  async *#rounds(loop: Loop, items: Iterable<Value>): AsyncGenerator<Statements> {
    if (loop.kind === "ForEach") {
      let isEmpty = true;
      for (const item of items) {
        isEmpty = false;
        this.#assignVariable(loop.variable, item);
        yield loop.body;
      }
      if (isEmpty) this.#refuseUnset(loop.variable);
    } else if (loop.kind === "DoLoop") {
      do {
        yield loop.body;
      } while (toBool(await this.#value(loop.condition)));
    } else {
      const { initializer, iterator } = loop.kind === "For" ? loop : {};
      const { condition } = loop;
      await (initializer && this.#value(initializer));
      while (!condition || toBool(await this.#value(condition))) {
        yield loop.body;
        await (iterator && this.#value(iterator));
      }
    }
  }

  /** After a loop without rounds its variable is null, or not set, or that of an outer scope, as PowerShell has compiled it. */
  #refuseUnset({ name, scope }: Syntax.Variable): void {
    const { variables } = this.#scope;
    if (scope !== undefined || variables.has(name.toLowerCase())) return;
    variables.set(name.toLowerCase(), {
      get value(): Value {
        throw new Unsupported(`$${name} behind a foreach without rounds`);
      },
    });
  }

  async #try(statement: Syntax.Try, emit: Emit): Promise<void> {
    const caught = statement.catches.flatMap(({ types }) => types.map((each) => this.type(each)));
    if (caught.some((type, at) => caught.slice(0, at).some((before) => type.is(before)))) {
      // PowerShell's parser rejects it.
      throw new Unsupported("a catch behind one that catches the same").at(statement.position);
    }
    const final = (): Promise<void> => this.#statements(statement.final ?? [], emit);
    try {
      await this.#caughtBody(statement, emit);
    } catch (error) {
      // What is refused ends the script. Another error in the finally block would hide it.
      if (!(error instanceof Unsupported)) await final();
      throw error;
    }
    await final();
  }

  async #caughtBody(statement: Syntax.Try, emit: Emit): Promise<void> {
    try {
      this.#tries++;
      await this.#statements(statement.body, emit).finally(() => this.#tries--);
    } catch (error) {
      if (!(error instanceof Raised)) throw error;
      await this.#catch(statement, error, emit);
    }
  }

  /** Runs the catch block with the type that fits best. An exception of PowerShell may be caught as the one in it, too. */
  async #catch({ catches, position }: Syntax.Try, error: Raised, emit: Emit): Promise<void> {
    const { exception, record, id } = error;
    const handlers = catches.flatMap(({ types, body }) =>
      types.length === 0 ? [{ body }] : types.map((type) => ({ type: this.type(type), body })),
    );
    const runtime = this.types.get(runtimeException);
    const isRuntime = exception.type.is(runtime);
    const inner = isRuntime ? exception.inner : exception;
    // .NET's exceptions count as wrapped: `$_` is the one inside then.
    const outer = isRuntime ? exception : new NetException(runtime, exception.message, exception);
    const byInner = inner && handlerOf(inner.type, handlers);
    const byOuter = handlerOf(outer.type, handlers);
    const isInner = byInner && (!byOuter || (byInner.rank <= byOuter.rank && byInner.type));
    const handler = isInner ? byInner : byOuter;
    if (!handler) throw error;
    const caught =
      isInner && isRuntime
        ? new Raised(inner ?? exception, { id, terminating: error.terminating })
        : error;
    const before = this.#caught;
    this.#caught = error;
    const whole = complete(caught, record?.position ?? position);
    const shown = catches.some(({ types }) => types.length > 0) ? whole.inTypedCatch : whole;
    const { body } = handler;
    const { variables } = this.#scope;
    // Afterwards it is null, not unset.
    if (!variables.has("_")) variables.set("_", { value: null });
    await this.#with("_", shown, () => this.#statements(body, emit)).finally(() => {
      this.#caught = before;
    });
  }

  async #thrown({ value: thrown }: Syntax.Flow): Promise<Raised> {
    if (!thrown && this.#caught) return terminating(this.#caught);
    const given = thrown ? await this.#value(thrown) : null;
    const value = isNull(given) ? "ScriptHalted" : given;
    if (value instanceof ErrorRecord) {
      return terminating(new Raised(value.exception, { record: value, id: value.id }));
    }
    const isException = value instanceof NetException;
    const text = isException ? value.message : toText(value);
    return terminating(isException ? new Raised(value, { id: text }) : runtimeError(text, text));
  }

  async #default(value: Syntax.Expression): Promise<Value> {
    try {
      return await this.expression(value);
    } catch (error) {
      // Outside of statements it is not wrapped, and a catch block gets another exception.
      if (
        error instanceof Raised &&
        error.exception.type.name.endsWith(".PSInvalidCastException")
      ) {
        throw new Unsupported("a default that cannot be converted");
      }
      throw error;
    }
  }

  // Variables and assignments

  #assignment({ target, operator, value: source }: Syntax.Assignment): Value | Promise<Value> {
    const emit = (into: Emit) => this.#statement(source, into);
    // What several variables would get is lost where a signal leads out of it.
    const isList = target.kind === "ArrayLiteral" && /If|Loop|For|While|Try/.test(source.kind);
    const before = operator === "=" ? null : this.#before(target);
    return after(before, (left) => {
      const value = isList ? after(collect(emit), fromItems) : this.#value(source);
      return after(value, (given) => {
        const result = operator === "=" ? given : this.#binary(operator.slice(0, -1), left, given);
        const isPlain = target.kind === "Variable";
        const set = isPlain ? this.#assignVariable(target, result) : this.#assign(target, result);
        return after(set, () => result);
      });
    });
  }

  /** The value that `+=` adds to. Unlike `++`, it ignores variables of outer scopes within a function, unless that is dot-sourced. */
  #before(target: Syntax.Expression): Promise<Value> | Value {
    const isOuter =
      target.kind === "Variable" &&
      target.scope === undefined &&
      this.#own !== undefined &&
      this.#scope.script !== this.#scope &&
      !this.#scope.variables.has(target.name.toLowerCase());
    if (isOuter && this.#scope.find(target.name) === undefined) {
      // An error, or null, as PowerShell has compiled the function.
      throw new Unsupported(`an addition to $${target.name}, which is not set`);
    }
    if (isOuter) {
      visit(this.#own ?? {}, (node) => {
        // It looks for each variable by its name then.
        if (node.kind === "Command" && node.invocation === ".") {
          throw new Unsupported(`an addition to $${target.name} in a function with a dot`);
        }
      });
    }
    return isOuter ? null : this.expression(target);
  }

  async #assign(target: Syntax.Expression, value: Value): Promise<void> {
    if (target.kind === "Variable") {
      this.#assignVariable(target, value);
    } else if (target.kind === "ArrayLiteral") {
      // Only what is an IList in .NET has an element for each variable.
      if (value instanceof NetObject && enumerated(value)) {
        throw new Unsupported(`[${value.type.name}] for several variables`);
      }
      const items = toItems(value);
      const last = target.items.length - 1;
      for (const [index, each] of target.items.entries()) {
        const rest = index === last && items.length > index + 1;
        await this.#assign(each, rest ? is.array(items.slice(index)) : (items[index] ?? null));
      }
    } else if (target.kind === "Member" && !target.isStatic) {
      const object = await this.expression(target.object);
      await setProperty(object, target.name, value);
    } else if (target.kind === "Index") {
      const object = await this.expression(target.object);
      this.#assignIndex(object, await this.expression(target.index), value);
    } else {
      throw new Unsupported(`an assignment to ${target.kind}`);
    }
  }

  #assignVariable(target: Syntax.Variable, value: Value): void {
    if (target.scope === "env") {
      this.host.environment.set(target.name, isNull(value) ? undefined : toText(value));
    } else if (/^(true|false|psversiontable|psscriptroot)$/i.test(target.name)) {
      throw new Unsupported(`an assignment to $${target.name}`);
    } else {
      this.#scopeOf(target).assign(target.name, value);
    }
  }

  #scopeOf({ scope = "local", name }: Syntax.Variable): Scope {
    if (scope !== "local" && scope !== "script" && scope !== "global") {
      throw new Unsupported(`the variable $${scope}:${name}`);
    }
    return this.#scope[scope];
  }

  #variable(node: Syntax.Variable): Value {
    const { name, scope } = node;
    if (scope === "env") return this.host.environment.get(name) ?? null;
    const automatic = scope === undefined ? automatics.get(name.toLowerCase()) : undefined;
    if (automatic) return automatic(Syntax.fileOf(node.position).path);
    const from = this.#scopeOf(node);
    const slot = scope === undefined ? from.find(name) : from.variables.get(name.toLowerCase());
    if (!slot && /^input$/i.test(name)) return nothing;
    if (!slot && ownVariables.test(name)) throw new Unsupported(`the variable $${name}`);
    if (!slot && this.#scope.isStrict) {
      const full = scope === undefined ? name : `${scope}:${name}`;
      const message = `The variable '$${full}' cannot be retrieved because it has not been set.`;
      throw runtimeError("VariableIsUndefined", message);
    }
    return slot?.value ?? null;
  }

  #assignIndex(object: Value, index: Value, value: Value): void {
    if (isNull(object)) throw nullArray();
    if (object instanceof Hashtable) {
      if (index === null) throw nullIndex();
      const isPlace = object.type === is.orderedDictionary && typeof index === "number";
      const entry = isPlace ? object.entries()[index] : { key: index };
      if (!entry) throw outOfRange("System.ArgumentOutOfRangeException");
      object.set(entry.key, value);
      return;
    }
    if (!(object instanceof PsArray)) {
      throw new Unsupported(`an element of [${typeOf(object).name}] that is set`);
    }
    if (isNull(index)) throw nullIndex();
    const { items, type } = object;
    const at = Number(convert(index, is.int));
    const position = at < 0 ? at + items.length : at;
    if (position < 0 || position >= items.length) throw outOfRange();
    items[position] = type.element ? convert(value, type.element) : value;
  }

  // Expressions

  /** Evaluates an expression; asynchronously only if it may call something. */
  expression(node: Syntax.Expression): Value | Promise<Value> {
    switch (node.kind) {
      case "Constant":
        return constant(node);
      case "ExpandableString":
        return this.#expanded(node);
      case "Variable":
        return this.#variable(node);
      case "Member":
        return this.#member(node);
      case "MethodCall":
        return this.#methodCall(node);
      case "Index":
        return this.#index(node);
      case "Unary":
        return this.#unary(node);
      case "Binary":
        return this.#binaryNode(node);
      case "Cast":
        return this.#cast(node);
      case "TypeLiteral":
        return this.type(node.type);
      case "ArrayLiteral":
        return this.#expressions(node.items).then((items) => is.array(items));
      case "ArrayExpression":
        return (
          this.#listIn(node.body) ??
          after(
            collect((emit) => {
              listsOf.add(emit);
              return this.#statements(node.body, emit);
            }),
            is.array,
          )
        );
      case "SubExpression":
        if (node.body.length === 0) return null;
        return after(
          valueOf((emit) => this.#statements(node.body, emit)),
          fromItems,
        );
      case "Parenthesis":
        return this.#value(node.statement);
      case "HashtableLiteral":
        return this.#table(node, is.hashtable);
      case "ScriptBlockLiteral":
        return new ScriptBlock(is.scriptBlock, node.block);
    }
  }

  /** The list in `@(1, 2)` or `@($a++)`, which is no output of a statement: a value that is nothing at all stays in it. */
  #listIn([statement, ...others]: Statements): Value | Promise<Value> | undefined {
    if (!statement || others.length > 0 || !isExpression(statement)) return undefined;
    const { expression } = statement.elements[0];
    const isCounted = expression.kind === "Unary" && isStep(expression);
    if (expression.kind !== "ArrayLiteral" && !isCounted) return undefined;
    publish(statement);
    const value = this.expression(expression);
    return isCounted ? after(value, (each) => is.array([each])) : value;
  }

  async #expanded({ parts }: Syntax.ExpandableString): Promise<string> {
    let text = "";
    for (const part of parts) {
      text += typeof part === "string" ? part : toText(await this.expression(part));
    }
    return text;
  }

  async #expressions(list: readonly Syntax.Expression[]): Promise<Value[]> {
    const values: Value[] = [];
    for (const node of list) {
      values.push(await this.expression(node));
    }
    return values;
  }

  async #table(node: Syntax.HashtableLiteral, type: NetType): Promise<Hashtable> {
    const table = new Hashtable(type);
    for (const { key, value } of node.pairs) {
      const name = await this.expression(key);
      const held = await this.#value(value);
      if (isNull(name)) {
        throw runtimeError("InvalidNullKey", "A null key is not allowed in a hash literal.");
      }
      if (table.has(name)) {
        const message = `Item has already been added. Key in dictionary: '${toText(name)}'`;
        throw raised("System.ArgumentException", message, { id: "DuplicateKeyInHashLiteral" });
      }
      table.set(name, held);
    }
    return table;
  }

  async #member(node: Syntax.Member): Promise<Value> {
    const { name } = node;
    const object = await this.expression(node.object);
    if (node.isStatic) return getStatic(staticOf(object, name), name);
    const value = await getProperty(object, name, this.#scope.isStrict);
    const counts = /^(count|length)$/i.test(name);
    if (value === undefined && counts && object instanceof CustomObject) {
      // In 5.1 a [pscustomobject] alone has neither, in 7 both.
      if (object.type === is.customObject) throw new Unsupported(`${name} of a [pscustomobject]`);
    }
    if (value === undefined && this.#scope.isStrict) {
      const message = `The property '${name}' cannot be found on this object. Verify that the property exists.`;
      const isEmpty = enumerated(object)?.length === 0;
      const type = isEmpty ? undefined : "PropertyNotFoundException";
      throw runtimeError("PropertyNotFoundStrict", message, type);
    }
    return value ?? (value === undefined && counts ? Number(!isNull(object)) : null);
  }

  async #methodCall(node: Syntax.MethodCall): Promise<Value> {
    const { name } = node;
    const object = await this.expression(node.object);
    const args = await this.#expressions(node.args);
    const type = castIn(node.object);
    if (type) this.#refuseCast(type, object, name);
    if (node.isStatic) return callStatic(staticOf(object, name), name, args, this.types);
    if (object instanceof ScriptBlock && name.toLowerCase() === "invoke") {
      return is.array(await collect((emit) => this.invoke(object, { args, child: true }, emit)));
    }
    return callMethod(object, name, args, this.types, (block, given, self) =>
      this.evaluate(block, { args: given, child: true, self }),
    );
  }

  /** A method of a cast in parentheses is only searched in the type of the cast, not in a list's elements. */
  #refuseCast(type: Syntax.TypeName, object: Value, name: string): void {
    const own = isNull(object) ? undefined : typeOf(object).overloads(name.toLowerCase());
    const isOfElement = enumerated(object) && own?.length === 0;
    if (isOfElement || (/^tostring$/i.test(name) && this.types.find(type.name) === is.object)) {
      throw new Unsupported(`${name}() of a cast to [${type.name}]`);
    }
  }

  async #index(node: Syntax.Index): Promise<Value> {
    const object = await this.expression(node.object);
    const index = await this.expression(node.index);
    if (isNull(object)) throw nullArray();
    if (enumerated(index)) throw new Unsupported("several indexes at once");
    if (object instanceof Hashtable) {
      if (index === null) throw nullIndex();
      if (object.type === is.orderedDictionary && typeof index === "number") {
        const entry = object.entries().at(index);
        if (!entry) throw outOfRange("System.ArgumentOutOfRangeException");
        return entry.value;
      }
      return object.get(index) ?? null;
    }
    if (isNull(index)) throw nullIndex();
    const items = typeof object === "string" ? object.split("").map(is.toChar) : enumerated(object);
    const isNamed = typeof index === "string" && object instanceof NetObject;
    if (items && !isNamed && object instanceof NetObject) {
      // Not every collection can be indexed.
      throw new Unsupported(`a number as an index of [${object.type.name}]`);
    }
    if (items && !isNamed) {
      const element = items.at(Number(convert(index, is.int)));
      if (element === undefined && this.#scope.isStrict) throw outOfRange();
      return element ?? null;
    }
    if (!items) {
      // A single value is like a list of one.
      const at = numberIn(index);
      if (typeof index === "string" && at !== undefined && !/^-?\d+$/.test(index)) {
        throw new Unsupported(`the index '${index}' of a single value`);
      }
      if (at !== undefined && [0, -1].includes(Number(at))) return object;
      const message = `Unable to index into an object of type ${typeOf(object).name}.`;
      throw runtimeError("CannotIndex", message);
    }
    // A collection indexed by name, such as .PSObject.Properties['x'].
    const names = await Promise.all(items.map(async (item) => getProperty(item, "Name")));
    if (typeOf(object) !== propertyCollection || index === "") {
      throw new Unsupported(`a name as an index of [${typeOf(object).name}]`);
    }
    const wanted = toText(index).toLowerCase();
    return items[names.findIndex((name) => toText(name ?? null).toLowerCase() === wanted)] ?? null;
  }

  async #unary(node: Syntax.Unary): Promise<Value> {
    if (isStep(node)) {
      const before = await this.expression(node.operand);
      if (before instanceof Num && before.type !== is.double && before.type !== is.byte) {
        throw new Unsupported(`${node.operator} of [${before.type.name}]`).at(node.position);
      }
      if (!isNull(before) && !isNumeric(before)) {
        const type = typeOf(before).name;
        const message = `The '${node.operator}' operator works only on numbers. The operand is a '${type}'.`;
        throw runtimeError("OperatorRequiresNumber", message);
      }
      const after = this.#binary(node.operator.slice(1), before, 1);
      await this.#assign(node.operand, after);
      return node.postfix ? (before ?? 0) : after;
    }
    const calculate = unary.get(node.operator);
    if (!calculate) throw new Unsupported(`the operator ${node.operator}`).at(node.position);
    return calculate(await this.expression(node.operand));
  }

  #binaryNode({ operator, left, right }: Syntax.Binary): Value | Promise<Value> {
    if (listOnTheRight.has(operator)) {
      return after(this.expression(right), (list) =>
        after(this.expression(left), (wanted) => this.#binary(operator, wanted, list)),
      );
    }
    return after(this.expression(left), (first) => {
      if (operator === "-and" || operator === "-or") {
        const decides = toBool(first) === (operator === "-or");
        return decides ? toBool(first) : after(this.expression(right), toBool);
      }
      return after(this.expression(right), (second) => {
        const isPiped = left.kind === "Variable" && left.name === "_" && !isNull(first);
        if (isPiped && !(first instanceof ErrorRecord) && operator === "-is") {
          // Whatever comes out of a pipeline is one.
          if (second === is.psObject) return true;
        }
        return this.#binary(operator, first, second);
      });
    });
  }

  #binary(operator: string, left: Value, right: Value): Value {
    return binary(operator, left, right, (groups) => this.#scope.setVariable("Matches", groups));
  }

  async #cast({ type: typeName, operand }: Syntax.Cast): Promise<Value> {
    const name = typeName.name.toLowerCase();
    const isObject = typeName.ranks === 0 && /^(ordered|pscustomobject)$/.test(name);
    if (operand.kind === "HashtableLiteral" && isObject) {
      const table = await this.#table(operand, is.orderedDictionary);
      return name === "ordered" ? table : toCustomObject(table);
    }
    if (name === "ref") return this.#reference(operand);
    const value = await this.expression(operand);
    // Only [pscustomobject] makes an object of a table.
    const isOther = /(^|\.)psobject$/.test(name);
    const isPlain = ["string", "number", "boolean"].includes(typeof value);
    if ((isOther || isObject) && (isPlain || value instanceof Char)) {
      throw new Unsupported(`[${name}] of what has no properties`);
    }
    if (isOther && value === nothing) return null;
    if (typeName.ranks > 0 && isOther && value instanceof Hashtable) {
      throw new Unsupported(`[${name}[]] of a table`);
    }
    return isOther && value instanceof Hashtable ? value : convert(value, this.type(typeName));
  }

  /** `[ref] $x`: lets a method set a variable. */
  #reference(node: Syntax.Expression): Value {
    if (node.kind !== "Variable") {
      throw new Unsupported("[ref] of anything but a variable").at(node.position);
    }
    return new NetObject<Reference>(is.reference, {
      get: () => this.#variable(node),
      set: (value) => this.#assignVariable(node, value),
    });
  }

  type(node: Syntax.TypeName): NetType {
    const type = this.types.find(node.name + "[]".repeat(node.ranks));
    if (!type) throw new Unsupported(`the type [${node.name}]`).at(node.position);
    return type;
  }

  // Pipelines and commands

  async #pipeline({ elements }: Syntax.Pipeline, emit: Emit): Promise<void> {
    const scope = this.#scope;
    const pipeline = {};
    const stop = () => {
      throw new Signal(pipeline);
    };
    const [first, ...others] = elements;
    const input =
      first?.kind === "ExpressionElement" ? await this.expression(first.expression) : undefined;
    // All of them have their arguments before the first is looked up.
    const written: Written[] = [];
    for (const element of first?.kind === "Command" ? elements : others) {
      if (element.kind !== "Command") {
        throw new Unsupported("an expression behind a pipe").at(element.position);
      }
      written.push(await this.#written(element));
    }
    const ready = written.map((each) => ({ ...each, target: this.#target(each) }));
    const stages: Stage[] = [];
    let next = emit;
    let failed: { readonly error: unknown } | undefined;
    for (const each of ready.reverse()) {
      const piped = each.command !== first;
      let stage: Stage;
      try {
        stage = this.#stage(each.target, { ...each, scope, emit: next, piped, stop });
      } catch (error) {
        // What is wrong with a command before it is said first.
        failed = { error };
        continue;
      }
      stages.unshift(stage);
      // The command before it may emit from a scope of its own; this one runs in the pipeline's scope.
      next = (value) => this.#inScope(scope, () => stage.process(value));
    }
    if (failed) throw failed.error;
    if (first?.kind === "ExpressionElement") {
      const value = input ?? null;
      // A command does not get it, `@( )` counts it, `$( )` does not.
      if (others.length === 0 && value instanceof PsArray && value.items.includes(nothing)) {
        throw new Unsupported("nothing at all in a list").at(first.position);
      }
      const isSilent = first.expression.kind === "Unary" && isStep(first.expression);
      const isOpen = written.some(sortsAll) || (others.length === 0 && listsOf.has(emit));
      const items = isOpen ? inAnyOrder(value) : toItems(value);
      const each = isSilent ? [] : eachOf(value, "Management.Automation.Runtime", items);
      await until([pipeline], handOn(each, next));
    }
    for (const stage of stages) {
      await until([pipeline], stage.end());
    }
  }

  async #written(command: Syntax.Command): Promise<Written> {
    try {
      const named = await this.expression(command.name);
      return { command, named, args: await this.#arguments(command) };
    } catch (error) {
      throw placed(error, command.position);
    }
  }

  #target({ command, named }: Written): Runnable {
    try {
      return this.#resolve(command, named);
    } catch (error) {
      throw placed(error, command.position);
    }
  }

  #stage(target: Runnable, call: Invocation): Stage {
    const { position } = call.command;
    try {
      const stage = target(call);
      return {
        process: (value) => located(position, () => stage.process(value)),
        end: () => located(position, () => stage.end()),
      };
    } catch (error) {
      throw placed(error, position);
    }
  }

  #resolve({ invocation }: Syntax.Command, named: Value): Runnable {
    const how = invocation === "." ? "." : "&";
    if (named instanceof ScriptBlock) return this.#function({ name: "", body: named.body }, how);
    const full = toText(named);
    if (full === "") {
      const message = `The expression after '${invocation}' in a pipeline element produced an object that was not valid. It must result in a command name, a script block, or a CommandInfo object.`;
      throw runtimeError("BadExpression", message);
    }
    const given = full.replace(/^Microsoft\.PowerShell\.\w+\\/i, "");
    const short = knownAliases.get(given.toLowerCase()) ?? given;
    const func = full === given ? this.#scope.findFunction(short) : undefined;
    const cmdlet = this.#cmdlets.get(short.toLowerCase());
    const { files, programs } = this.host;
    if (func) return this.#function(func, how);
    if (cmdlet) return cmdletStage(cmdlet, this);
    if (/\.ps1$/i.test(short) && files.status(files.resolve(short))) {
      return ({ args, emit, piped }) =>
        gathering(piped, async () => {
          const code = await this.#script(this.#read(files.resolve(short)), args, emit, how);
          if (code !== undefined || how === "&") {
            this.#scope.global.setVariable("LASTEXITCODE", code ?? 0);
          }
        });
    }
    const file = programs.find(short);
    if (file !== undefined) return program(file, this.host);
    if (short.includes("::")) throw new Unsupported(`the command ${short}`);
    throw commandNotFound(short);
  }

  /** A function or block. One with a `process` block runs once for each input. */
  #function(func: FunctionValue, how: "&" | "."): Runnable {
    const refused = this.#refused.get(func.body);
    if (refused !== undefined) throw refused;
    if (how === "." && func.module) throw new Unsupported("a module's function behind a dot");
    return ({ args, emit, piped }) => {
      let scope: Scope | undefined;
      let bound: Bound | undefined;
      const run = async (input?: Value[]) => {
        scope ??= how === "." ? this.#scope : new Scope(func.module ?? this.#scope);
        bound = await this.#inScope(scope, () => this.#body(func, args, emit, input, bound));
      };
      if (!piped || !func.body.forEachInput) return gathering(piped, run);
      // Its arguments are bound even if there is no input.
      return {
        process: (value) => run([value]),
        end: () => (bound ? undefined : run([])),
      };
    };
  }

  async #arguments({ elements }: Syntax.Command): Promise<Argument[]> {
    const args: Argument[] = [];
    for (const element of elements) {
      const { position } = element;
      if (element.kind === "CommandParameter") {
        const value = element.value && (await this.expression(element.value));
        const written = element.value && writtenOf(element.value);
        args.push({ name: element.name, value, position, written });
      } else if (element.kind === "Variable" && element.splatted) {
        args.push(...splat(this.#variable(element), position));
      } else {
        args.push({ value: await this.expression(element), position, written: writtenOf(element) });
      }
    }
    return args;
  }
}

/**
 * Parses the arguments behind -File: `-Name`, `-Name:value`, `-Name: value`, or a value. In 5.1 every value is a string,
 * `$true` and `$false` too, so none suits a switch.
 *
 * Source: CommandLineParameterParser.cs of 5.1's time, in PowerShell/PowerShell at c748652c34.
 */
function fileArguments(args: readonly string[]): Argument[] {
  const position = { file: 0, start: 0, end: 0 };
  const given: Argument[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, named, text, name = named] = /^[-\u2013-\u2015](?:(\w+):(.*)|(.*))$/s.exec(arg) ?? [];
    if (name === "") throw new Unsupported(`the argument ${arg} of -File`).at(position);
    const value = text === "" ? rest.shift() : text;
    given.push(name === undefined ? { value: arg, position } : { name, value, position });
  }
  return given;
}

/** Parsed scripts by text, shared by all interpreters because most scripts run many times. */
export const scripts = new Map<string, Script>();

export function readScript(file: Syntax.SourceFile): Script {
  try {
    return scriptOf(parse(file));
  } catch (error) {
    throw error instanceof ScriptSyntaxError
      ? terminating(runtimeError("ParseException", error.message, "ParseException"))
      : error;
  }
}

function collect(run: (emit: Emit) => void | Promise<void>): Value[] | Promise<Value[]> {
  const items: Value[] = [];
  return after(
    run((value) => void items.push(value)),
    () => items,
  );
}

/** Like `collect`, for a value out of which a signal may lead. */
function valueOf(run: (emit: Emit) => void | Promise<void>): Value[] | Promise<Value[]> {
  const items: Value[] = [];
  const ran = run((value) => void items.push(value));
  if (!ran) return items;
  return ran.then(
    () => items,
    (error: unknown) => {
      if (error instanceof Signal) error.unused.unshift(...items);
      if (error instanceof Raised && items.length > 0) error.hasLostOutput = true;
      throw error;
    },
  );
}

/** Whether a statement is `(...)` or `$(...)` and nothing else. */
function isBracketed(statement: Syntax.Statement): boolean {
  if (statement.kind === "Assignment" || !isExpression(statement)) return false;
  return ["Parenthesis", "SubExpression"].includes(statement.elements[0].expression.kind);
}

async function handOn(items: Iterable<Value>, emit: Emit): Promise<void> {
  for (const item of items) {
    if (item !== nothing) await emit(item);
  }
}

/** Whether a command sorts values by themselves, so that it matters less in which order they come. */
function sortsAll({ named, args }: Written): boolean {
  const isSort = typeof named === "string" && /^sort-object$/i.test(named);
  return isSort && args.every(({ name }) => name !== undefined);
}

/** The text of a bare number. */
function writtenOf(node: Syntax.Expression): string | undefined {
  return node.kind === "Constant" ? node.written : undefined;
}

function constant({ value }: Syntax.Constant): Value {
  if (typeof value !== "object") return value;
  return "int64" in value ? BigInt(value.int64) : new Num(is.double, value.double);
}

interface Handler {
  /** Undefined if it catches everything. */
  readonly type?: NetType;
  readonly body: Statements;
}

/** The handler for a type of exception, and how many handlers have a type that derives from its own. */
function handlerOf(
  thrown: NetType,
  handlers: readonly Handler[],
): (Handler & { readonly rank: number }) | undefined {
  const found =
    handlers.find(({ type }) => type === thrown) ??
    handlers.find(({ type }) => type && thrown.is(type)) ??
    handlers.find(({ type }) => !type);
  if (!found) return undefined;
  const { type } = found;
  const others = handlers.filter((each) => each.type !== type);
  const rank = type ? others.filter((each) => each.type?.is(type)).length : others.length;
  return { ...found, rank };
}

/** `++` or `--`, which outputs nothing as a statement. */
function isStep({ operator }: Syntax.Unary): boolean {
  return operator === "++" || operator === "--";
}

type OneExpression = Syntax.Pipeline & { readonly elements: readonly [Syntax.ExpressionElement] };

/** Tells the tests that a statement runs. */
function publish({ position }: Syntax.Statement): void {
  if (!statementsRun.hasSubscribers) return;
  statementsRun.publish({ text: Syntax.fileOf(position).text, start: position.start });
}

/** Whether a statement is nothing but an expression. */
function isExpression(statement: Syntax.Statement): statement is OneExpression {
  if (statement.kind !== "Pipeline") return false;
  const [element, ...others] = statement.elements;
  return element?.kind === "ExpressionElement" && others.length === 0;
}

/** The type of a cast in parentheses. */
function castIn(node: Syntax.Expression): Syntax.TypeName | undefined {
  if (node.kind !== "Parenthesis" || !isExpression(node.statement)) return undefined;
  const { expression } = node.statement.elements[0];
  return expression.kind === "Cast" ? expression.type : castIn(expression);
}

function staticOf(object: Value, member: string): NetType {
  if (!(object instanceof NetType)) throw new Unsupported(`::${member} of a value`);
  return object;
}

function nullArray(): Raised {
  return runtimeError("NullArray", "Cannot index into a null array.");
}

function nullIndex(): Raised {
  const message = "Index operation failed; the array index evaluated to null.";
  return runtimeError("NullArrayIndex", message);
}

function outOfRange(type = "System.IndexOutOfRangeException"): Raised {
  return raised(type, "Index was outside the bounds of the array.");
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"), 0)) || "/";
}
