/** Runs scripts: walks their syntax trees. */
import { bindArguments, bindInput, splat, type Argument } from "./binding.ts";
import type { BlockOptions, Cmdlet, Emit, Shell } from "./commands.ts";
import {
  convert,
  enumerated,
  fromItems,
  toBool,
  toCustomObject,
  toItems,
  toText,
  tryConvert,
} from "./convert.ts";
import type { Host } from "./host.ts";
import { callMethod, callStatic, getProperty, getStatic, setProperty } from "./members.ts";
import { binary, joined, negate, splitWords } from "./operators.ts";
import { functionSignature, isAdvanced, type Reader } from "./parameters.ts";
import { parse, ScriptSyntaxError, UnsupportedSyntaxError } from "./parser.ts";
import { convertForVariable, Scope, type FunctionValue } from "./scope.ts";
import {
  cmdletStage,
  complete,
  gathering,
  program,
  report,
  terminating,
  type Invocation,
  type Runnable,
  type Stage,
} from "./stages.ts";
import { check, nodes } from "./subset.ts";
import type * as Syntax from "./syntax.ts";
import * as is from "./types.ts";
import { raised, runtimeError, typeOf, type Reference, type Types } from "./types.ts";
import {
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
import { wildcard } from "./wildcard.ts";

type Statements = readonly Syntax.Statement[];

/** On its way to the loop, the body, the script or the pipeline that it ends. */
class Signal extends Error {
  constructor(
    readonly ends: Syntax.Flow["kind"] | object,
    readonly code = 0,
  ) {
    super("a signal that nothing waits for");
  }
}

/** Runs something. Returns the signal that ended it, if it is one of those. */
async function until(
  ends: Signal["ends"][],
  run: () => Promise<void>,
): Promise<Signal | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof Signal && ends.includes(error.ends)) {
      return error;
    }
    throw error;
  }
}

export interface InterpreterOptions {
  readonly host: Host;
  readonly types: Types;
  readonly cmdlets: readonly Cmdlet[];
  /** Variables that are there from the beginning, by name. */
  readonly variables?: Readonly<Record<string, Value>>;
  /** Commands that a script may call though they are not known yet, by name in lower case. Default: none. */
  readonly mayCall?: (name: string) => boolean;
  /** Called before each statement, e.g. to measure what a test runs. */
  readonly onStatement?: (statement: Syntax.Statement) => void;
}

export class Interpreter implements Shell {
  readonly host: Host;
  readonly types: Types;
  readonly #options: InterpreterOptions;
  readonly #cmdlets = new Map<string, Cmdlet>();
  readonly #parsed = new Map<string, Syntax.ScriptBody>();
  #scope: Scope;
  /** How many try blocks are being run, in all functions: within one, every error ends its block. */
  #tries = 0;
  /** The error that a catch block is about, for `throw` alone. */
  #caught: Raised | undefined;
  readonly #reader: Reader = {
    type: (node) => this.#type(node),
    expression: (node) => this.#expression(node),
  };

  constructor(options: InterpreterOptions) {
    this.#options = options;
    const { host, types, cmdlets, variables } = options;
    this.host = host;
    this.types = types;
    for (const cmdlet of cmdlets) {
      for (const name of [cmdlet.name, ...(cmdlet.aliases ?? [])]) {
        this.#cmdlets.set(name.toLowerCase(), cmdlet);
      }
    }
    this.#scope = new Scope(undefined, { isScript: true }, (pattern) => {
      const names = cmdlets.map(({ name }) => name).filter((name) => wildcard(pattern).test(name));
      return host.processes.find(pattern) === undefined ? names : [...names, pattern];
    });
    const globals: Record<string, Value> = {
      ...variables,
      ErrorActionPreference: "Continue",
      ProgressPreference: "Continue",
      WarningPreference: "Continue",
      VerbosePreference: "SilentlyContinue",
      LASTEXITCODE: null,
      "?": true,
      PID: host.processes.id,
    };
    for (const [name, value] of Object.entries(globals)) {
      this.#scope.setVariable(name, value);
    }
  }

  /** Runs a script file as powershell.exe -File does. Returns its exit code. */
  async runFile(path: string, args: readonly string[], emit: Emit): Promise<number> {
    try {
      return (await this.#script(path, fileArguments(args), emit, "&")) ?? 0;
    } catch (error) {
      if (!(error instanceof Raised)) {
        throw error;
      }
      const at = error.record?.position;
      const place = at ? `${at.file.path}:${String(at.line)}: ` : "";
      this.host.error(`${place}${error.exception.message}\n`);
      return 1;
    }
  }

  // Scripts and functions

  #load(path: string): Syntax.ScriptBody {
    const bytes = this.host.files.read(path);
    const text = bytes.toString("utf8").replace(/^\ufeff/, "");
    const known = this.#parsed.get(path);
    const body = known?.position.file.text === text ? known : parseScript({ path, text });
    this.#parsed.set(path, body);
    return body;
  }

  /** The files that a script dot-sources, and those that these do, as far as their paths can be told beforehand. */
  #dotSourced(body: Syntax.ScriptBody, seen = new Set<string>()): Syntax.ScriptBody[] {
    const { files } = this.host;
    const found: Syntax.ScriptBody[] = [];
    for (const node of nodes(body)) {
      if (node.kind !== "Command" || node.invocation !== ".") {
        continue;
      }
      const { file, start, end } = node.position;
      const written = file.text.slice(start, end);
      const [, below] =
        /\$PSScriptRoot(?:['"]?\s+['"]?|[\\/])([^'"\s]+\.ps1)\b/i.exec(written) ?? [];
      const path = files.resolve(`${folderOf(file.path)}${files.separator}${below ?? ""}`);
      if (below !== undefined && !seen.has(path) && files.status(path)) {
        seen.add(path);
        const sourced = this.#load(path);
        found.push(sourced, ...this.#dotSourced(sourced, seen));
      }
    }
    return found;
  }

  /** `&` runs a script in a scope of its own, `.` in the one around it. Returns what it gave to `exit`. */
  async #script(path: string, args: readonly Argument[], emit: Emit, how: "&" | ".") {
    const body = this.#load(path);
    check(body, this.#dotSourced(body), {
      cmdlets: this.#cmdlets,
      types: this.types,
      mayCall: this.#options.mayCall ?? (() => false),
      isFunction: (name) => this.#scope.findFunction(name) !== undefined,
    });
    const name = path.slice(path.search(/[^\\/]*$/));
    const scope = how === "." ? this.#scope : new Scope(this.#scope, { isScript: true });
    const run = () => this.#body({ name, body }, args, emit);
    return (await until(["Exit"], () => this.#inScope(scope, run)))?.code;
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
  async #body(func: FunctionValue, args: readonly Argument[], emit: Emit, input?: Value[]) {
    const { body } = func;
    const { forEachInput, statements } = body;
    const scope = this.#scope;
    const signature = await functionSignature(func, this.#reader);
    const bound = bindArguments(signature, args, input !== undefined && forEachInput);
    if (input && forEachInput) {
      const [value = null] = input;
      scope.setVariable("_", value);
      await bindInput(bound, value);
    } else if (input) {
      scope.setVariable("input", is.array(input));
    }
    const given = new Hashtable(is.hashtable);
    for (const [name, value] of bound.common) {
      given.set(name, name === "ErrorAction" ? convert(value, is.actionPreference) : value);
    }
    const preference = bound.common.get("ErrorAction");
    if (preference !== undefined) {
      scope.setVariable("ErrorActionPreference", preference);
    }
    scope.setVariable("args", is.array(bound.rest));
    for (const { name, key, type, validators, defaultValue } of signature.formals) {
      let value = bound.values.get(key);
      if (value !== undefined) {
        given.set(name, value);
      } else if (defaultValue) {
        value = await this.#expression(defaultValue);
        value = type ? convert(value, type) : value;
      } else {
        value = (type && tryConvert(null, type)) ?? null;
      }
      scope.variables.set(key, { value, type, validators });
    }
    scope.setVariable("PSBoundParameters", given);
    await until(["Return"], () => this.#statements(statements, emit));
  }

  async invoke(block: ScriptBlock, options: BlockOptions, emit: Emit): Promise<void> {
    const { body } = block;
    const args = (options.args ?? []).map((value) => ({ value, position: body.position }));
    const variables = { _: options.underscore, this: options.self };
    await this.#inScope(options.child ? new Scope(this.#scope) : this.#scope, () =>
      this.#with(variables, () => this.#body({ name: "", body }, args, emit)),
    );
  }

  async evaluate(block: ScriptBlock, options: BlockOptions): Promise<Value> {
    return fromItems(await collect((emit) => this.invoke(block, options, emit)));
  }

  /** Runs something with variables of the current scope set for as long. */
  async #with(values: Record<string, Value | undefined>, run: () => Promise<void>): Promise<void> {
    const { variables } = this.#scope;
    const before = new Map(variables);
    const names = Object.keys(values).filter((name) => values[name] !== undefined);
    names.forEach((name) => this.#scope.setVariable(name, values[name] ?? null));
    try {
      await run();
    } finally {
      for (const name of names) {
        const variable = before.get(name);
        variables.delete(name);
        if (variable) {
          variables.set(name, variable);
        }
      }
    }
  }

  property(value: Value, name: string): Promise<Value | undefined> {
    return getProperty(value, name);
  }

  variable(name: string): Value | undefined {
    return this.#scope.find(name)?.value;
  }

  text(value: Value): string {
    return toText(value);
  }

  // Statements

  async #statements(statements: Statements, emit: Emit): Promise<void> {
    for (const statement of statements) {
      this.#options.onStatement?.(statement);
      try {
        await this.#statement(statement, emit);
      } catch (error) {
        this.#afterError(error, statement);
      }
    }
  }

  /** Decides whether an error ends more than its statement. */
  #afterError(error: unknown, { position }: Syntax.Statement): void {
    if (error instanceof Unsupported) {
      throw error.at(position);
    }
    if (!(error instanceof Raised)) {
      throw error;
    }
    complete(error, position);
    const preference = this.#scope.errorAction;
    if (error.terminating || this.#tries > 0 || /^stop$/i.test(preference)) {
      throw error;
    }
    report(error, preference, this.#scope, this.host);
  }

  async #statement(statement: Syntax.Statement, emit: Emit): Promise<void> {
    switch (statement.kind) {
      case "Pipeline":
        return this.#pipeline(statement, emit);
      case "Assignment":
        await this.#assignment(statement);
        return;
      case "If":
        for (const { condition, body } of statement.clauses) {
          if (toBool(await this.#value(condition))) {
            return this.#statements(body, emit);
          }
        }
        return this.#statements(statement.otherwise ?? [], emit);
      case "While":
      case "DoLoop":
      case "For":
        return this.#loop(statement, emit);
      case "ForEach":
        return this.#forEach(statement, emit);
      case "Try":
        return this.#try(statement, emit);
      case "FunctionDefinition":
        this.#scope.setFunction(statement.name, statement);
        return;
      case "Throw":
        throw await this.#thrown(statement);
      case "Return":
        if (statement.value) {
          await this.#statement(statement.value, emit);
        }
        throw new Signal("Return");
      case "Exit": {
        const code = statement.value ? await this.#value(statement.value) : 0;
        throw new Signal("Exit", Number(tryConvert(code, is.int) ?? 0));
      }
      case "Break":
      case "Continue":
        throw new Signal(statement.kind);
    }
  }

  /** A statement's outputs as one value. An expression is its own value: it is not unrolled. */
  async #value(statement: Syntax.Statement): Promise<Value> {
    if (statement.kind === "Assignment") {
      return this.#assignment(statement);
    }
    const [element, ...others] = statement.kind === "Pipeline" ? statement.elements : [];
    if (element?.kind === "ExpressionElement" && others.length === 0) {
      return this.#expression(element.expression);
    }
    return fromItems(await collect((emit) => this.#statement(statement, emit)));
  }

  async #loop(statement: Syntax.Loop | Syntax.For, emit: Emit): Promise<void> {
    const { kind, condition, body } = statement;
    const step = async (each: Syntax.Statement | undefined) => {
      if (each) {
        await this.#statement(each, () => undefined);
      }
    };
    if (kind === "For") {
      await step(statement.initializer);
    }
    const until = kind === "DoLoop" && statement.until;
    const goesOn = async () => !condition || toBool(await this.#value(condition)) !== until;
    let looks = kind !== "DoLoop";
    while (!looks || (await goesOn())) {
      looks = true;
      if (await this.#endsLoop(body, emit)) {
        return;
      }
      await step(kind === "For" ? statement.iterator : undefined);
    }
  }

  /** Runs a loop's body once. */
  async #endsLoop(body: Statements, emit: Emit): Promise<boolean> {
    const signal = await until(["Break", "Continue"], () => this.#statements(body, emit));
    return signal?.ends === "Break";
  }

  async #forEach(statement: Syntax.ForEach, emit: Emit): Promise<void> {
    const collection = await this.#value(statement.collection);
    for (const item of isNull(collection) ? [] : [...toItems(collection)]) {
      this.#assignVariable(statement.variable, item);
      if (await this.#endsLoop(statement.body, emit)) {
        return;
      }
    }
  }

  async #try(statement: Syntax.Try, emit: Emit): Promise<void> {
    try {
      this.#tries++;
      try {
        await this.#statements(statement.body, emit);
      } finally {
        this.#tries--;
      }
    } catch (error) {
      if (!(error instanceof Raised)) {
        throw error;
      }
      complete(error, statement.position);
      await this.#catch(statement, error, emit);
    } finally {
      await this.#statements(statement.final ?? [], emit);
    }
  }

  /** Runs the first catch whose type fits the exception, or failing that the one within. */
  async #catch(statement: Syntax.Try, error: Raised, emit: Emit): Promise<void> {
    const { exception, record, id } = error;
    const isWrapper = /^(MethodInvocation|GetValueInvocation)Exception$/.test(
      exception.type.shortName,
    );
    const inner = isWrapper ? exception.inner : null;
    for (const { types, body } of statement.catches) {
      const fits = ({ type }: NetException) => types.some((each) => type.is(this.#type(each)));
      const isDirect = types.length === 0 || fits(exception);
      if (!isDirect && !(inner && fits(inner))) {
        continue;
      }
      const outer = this.#caught;
      this.#caught =
        isDirect || !inner ? error : new Raised(inner, undefined, id, error.terminating);
      const caught = complete(this.#caught, record?.position ?? statement.position);
      try {
        return await this.#with({ _: caught }, () => this.#statements(body, emit));
      } finally {
        this.#caught = outer;
      }
    }
    throw error;
  }

  async #thrown(statement: Syntax.Flow): Promise<Raised> {
    if (!statement.value) {
      const error = this.#caught ?? terminating(runtimeError("ScriptHalted", "ScriptHalted"));
      error.terminating = true;
      return error;
    }
    const value = await this.#value(statement.value);
    if (value instanceof ErrorRecord) {
      return terminating(new Raised(value.exception, value, value.id));
    }
    const error =
      value instanceof NetException
        ? new Raised(value, undefined, value.message)
        : runtimeError(toText(value), toText(value));
    complete(error, statement.position);
    return terminating(error);
  }

  // Variables and assignments

  async #assignment({ target, operator, value: source }: Syntax.Assignment): Promise<Value> {
    let value = await this.#value(source);
    if (operator !== "=") {
      const before = await this.#before(target.kind === "Cast" ? target.operand : target);
      value = this.#binary(operator.slice(0, -1), before, value);
    }
    await this.#assign(target, value);
    return value;
  }

  /** What += and ++ begin with: a variable of an outer scope does not count. */
  #before(target: Syntax.Expression): Promise<Value> | Value {
    return target.kind === "Variable" && target.scope === undefined
      ? this.#variable({ ...target, scope: "local" })
      : this.#expression(target);
  }

  async #assign(target: Syntax.Expression, value: Value): Promise<void> {
    if (target.kind === "Variable") {
      this.#assignVariable(target, value);
    } else if (target.kind === "Cast") {
      const { operand } = target;
      const type = this.#type(target.type);
      const converted = convertForVariable(value, type);
      if (operand.kind === "Variable" && operand.scope === undefined) {
        this.#scope.variables.set(operand.name.toLowerCase(), { value: converted, type });
      } else {
        await this.#assign(operand, converted);
      }
    } else if (target.kind === "ArrayLiteral") {
      const items = toItems(value);
      const last = target.items.length - 1;
      for (const [index, each] of target.items.entries()) {
        const rest = index === last && items.length > index + 1;
        await this.#assign(each, rest ? is.array(items.slice(index)) : (items[index] ?? null));
      }
    } else if (target.kind === "Member" && !target.isStatic) {
      const object = await this.#expression(target.object);
      await setProperty(object, await this.#memberName(target), value);
    } else if (target.kind === "Index") {
      const object = await this.#expression(target.object);
      await this.#assignIndex(object, await this.#expression(target.index), value);
    } else {
      throw new Unsupported(`an assignment to ${target.kind}`);
    }
  }

  #assignVariable(target: Syntax.Variable, value: Value): void {
    if (target.scope === "env") {
      this.host.environment.set(target.name, isNull(value) ? undefined : toText(value));
    } else {
      this.#scopeOf(target).assign(target.name, value);
    }
  }

  #scopeOf({ scope = "local", name }: Syntax.Variable): Scope {
    switch (scope) {
      case "local":
        return this.#scope;
      case "script":
      case "global":
        return this.#scope[scope];
      default:
        throw new Unsupported(`the variable $${scope}:${name}`);
    }
  }

  #variable(node: Syntax.Variable): Value {
    const { name, scope } = node;
    if (scope === "env") {
      return this.host.environment.get(name) ?? null;
    }
    if (scope === undefined) {
      const { path } = node.position.file;
      switch (name.toLowerCase()) {
        case "true":
          return true;
        case "false":
          return false;
        case "null":
          return null;
        case "psscriptroot":
          return path.startsWith("<") ? "" : folderOf(path);
        case "pscommandpath":
          return path;
      }
    }
    const slot =
      scope === undefined
        ? this.#scope.find(name)
        : this.#scopeOf(node).variables.get(name.toLowerCase());
    if (!slot && this.#scope.isStrict && !/^(_|input|matches)$/i.test(name)) {
      const full = scope === undefined ? name : `${scope}:${name}`;
      const message = `The variable '$${full}' cannot be retrieved because it has not been set.`;
      throw runtimeError("VariableIsUndefined", message);
    }
    return slot?.value ?? null;
  }

  async #assignIndex(object: Value, index: Value, value: Value): Promise<void> {
    if (object instanceof Hashtable) {
      object.set(index, value);
    } else if (object instanceof PsArray) {
      const at = Number(convert(index, is.int));
      const place = at < 0 ? at + object.items.length : at;
      if (place < 0 || place >= object.items.length) {
        throw outOfRange();
      }
      object.items[place] = object.type.element ? convert(value, object.type.element) : value;
    } else if (isNull(object)) {
      throw runtimeError("NullArray", "Cannot index into a null array.");
    } else {
      await this.#callMethod(object, "set_Item", [index, value]);
    }
  }

  // Expressions

  async #expression(node: Syntax.Expression): Promise<Value> {
    switch (node.kind) {
      case "Constant":
        return typeof node.value === "object" ? new Num(is.double, node.value.double) : node.value;
      case "ExpandableString": {
        let text = "";
        for (const part of node.parts) {
          text += typeof part === "string" ? part : toText(await this.#expression(part));
        }
        return text;
      }
      case "Variable":
        return this.#variable(node);
      case "Member":
        return this.#member(node);
      case "MethodCall": {
        const object = await this.#expression(node.object);
        const name = await this.#memberName(node);
        const args = await this.#expressions(node.args);
        if (!node.isStatic) {
          return this.#callMethod(object, name, args);
        }
        if (!(object instanceof NetType)) {
          throw new Unsupported(`a static method of a value: ${name}`);
        }
        return callStatic(object, name, args, this.types);
      }
      case "Index":
        return this.#index(await this.#expression(node.object), await this.#expression(node.index));
      case "Unary":
        return this.#unary(node);
      case "Binary":
        return this.#binaryNode(node);
      case "Cast":
        return this.#cast(node);
      case "TypeLiteral":
        return this.#type(node.type);
      case "ArrayLiteral":
        return is.array((await this.#expressions(node.items)).map(orNull));
      case "ArrayExpression":
        return is.array(await collect((emit) => this.#statements(node.body, emit)));
      case "SubExpression":
        return fromItems(await collect((emit) => this.#statements(node.body, emit)));
      case "Parenthesis":
        return this.#value(node.statement);
      case "HashtableLiteral":
        return this.#table(node, is.hashtable);
      case "ScriptBlockLiteral":
        return new ScriptBlock(is.scriptBlock, node.block);
    }
  }

  async #expressions(list: readonly Syntax.Expression[]): Promise<Value[]> {
    const values: Value[] = [];
    for (const node of list) {
      values.push(await this.#expression(node));
    }
    return values;
  }

  async #table(node: Syntax.HashtableLiteral, type: NetType): Promise<Hashtable> {
    const table = new Hashtable(type);
    for (const { key, value } of node.pairs) {
      const name = await this.#expression(key);
      const held = await this.#value(value);
      if (isNull(name)) {
        throw runtimeError("InvalidNullKey", "A null key is not allowed in a hash literal.");
      }
      if (table.has(name)) {
        const message = `Item has already been added. Key in dictionary: '${toText(name)}'`;
        throw raised("System.ArgumentException", message, { id: "DuplicateKeyInHashLiteral" });
      }
      table.set(name, orNull(held));
    }
    return table;
  }

  async #memberName({ name }: Syntax.Member | Syntax.MethodCall): Promise<string> {
    return typeof name === "string" ? name : toText(await this.#expression(name));
  }

  async #member(node: Syntax.Member): Promise<Value> {
    const object = await this.#expression(node.object);
    const name = await this.#memberName(node);
    if (node.isStatic) {
      return getStatic(object instanceof NetType ? object : typeOf(object ?? ""), name);
    }
    const value = await getProperty(object, name, this.#scope.isStrict);
    if (value === undefined && this.#scope.isStrict) {
      throw runtimeError(
        "PropertyNotFoundStrict",
        `The property '${name}' cannot be found on this object. Verify that the property exists.`,
        "PropertyNotFoundException",
      );
    }
    const counts = /^(count|length)$/i.test(name);
    return value ?? (value === undefined && counts ? Number(!isNull(object)) : null);
  }

  async #callMethod(object: Value, name: string, args: readonly Value[]): Promise<Value> {
    if (object instanceof ScriptBlock && name.toLowerCase() === "invoke") {
      return is.array(await collect((emit) => this.invoke(object, { args, child: true }, emit)));
    }
    return callMethod(object, name, args, this.types, (block, given, self) =>
      this.evaluate(block, { args: given, child: true, self }),
    );
  }

  async #index(object: Value, index: Value): Promise<Value> {
    if (isNull(object)) {
      throw runtimeError("NullArray", "Cannot index into a null array.");
    }
    if (object instanceof Hashtable) {
      if (object.type === is.orderedDictionary && typeof index === "number") {
        return object.entries().at(index)?.value ?? null;
      }
      return index instanceof PsArray
        ? is.array(index.items.map((key) => object.get(key) ?? null))
        : (object.get(index) ?? null);
    }
    const items = typeof object === "string" ? object.split("").map(is.toChar) : enumerated(object);
    if (items && (typeof index !== "string" || object instanceof PsArray)) {
      const at = (each: Value) => items.at(Number(convert(each, is.int)));
      if (index instanceof PsArray) {
        return is.array(index.items.map(at).filter((each) => each !== undefined));
      }
      const element = at(index);
      if (element === undefined && this.#scope.isStrict) {
        throw outOfRange();
      }
      return element ?? null;
    }
    if (typeOf(object).overloads("get_item").length > 0) {
      return this.#callMethod(object, "get_Item", [index]);
    }
    // A collection with names, as .PSObject.Properties['x'].
    for (const item of items ?? []) {
      const name = toText((await getProperty(item, "Name")) ?? null);
      if (name.toLowerCase() === toText(index).toLowerCase()) {
        return item;
      }
    }
    if (items) {
      return null;
    }
    const message = `Unable to index into an object of type ${typeOf(object).name}.`;
    throw runtimeError("CannotIndex", message);
  }

  async #unary(node: Syntax.Unary): Promise<Value> {
    if (isStep(node)) {
      const before = await this.#before(node.operand);
      const after = this.#binary(node.operator.slice(1), before, 1);
      await this.#assign(node.operand, after);
      return node.postfix ? (isNull(before) ? 0 : before) : after;
    }
    const value = await this.#expression(node.operand);
    switch (node.operator) {
      case "-not":
      case "!":
        return !toBool(value);
      case "-":
        return negate(value);
      case "+":
        return this.#binary("+", 0, value);
      case ",":
        return is.array([orNull(value)]);
      case "-join":
        return joined(value, "");
      case "-split":
        return splitWords(value);
      default:
        throw new Unsupported(`the operator ${node.operator}`).at(node.position);
    }
  }

  async #binaryNode({ operator, left, right, position }: Syntax.Binary): Promise<Value> {
    const first = await this.#expression(left);
    switch (operator) {
      case "-and":
        return toBool(first) && toBool(await this.#expression(right));
      case "-or":
        return toBool(first) || toBool(await this.#expression(right));
      case "-xor":
        return toBool(first) !== toBool(await this.#expression(right));
    }
    const second = await this.#expression(right);
    const [, replacement] = second instanceof PsArray ? second.items : [];
    if (/^-c?replace$/.test(operator) && replacement instanceof ScriptBlock) {
      throw new Unsupported("-replace with a script block").at(position);
    }
    return this.#binary(operator, first, second);
  }

  #binary(operator: string, left: Value, right: Value): Value {
    return binary(operator, left, right, (groups) => this.#scope.setVariable("Matches", groups));
  }

  async #cast({ type: typeName, operand }: Syntax.Cast): Promise<Value> {
    const name = typeName.name.toLowerCase();
    if (operand.kind === "HashtableLiteral" && /^(ordered|pscustomobject)$/.test(name)) {
      const table = await this.#table(operand, is.orderedDictionary);
      return name === "ordered" ? table : toCustomObject(table);
    }
    if (name === "ref") {
      return this.#reference(operand);
    }
    const value = await this.#expression(operand);
    const type = this.#type(typeName);
    if (name === "pscustomobject" && value instanceof Hashtable) {
      return toCustomObject(value);
    }
    if (type.name === "System.Type" && typeof value === "string") {
      return this.types.get(value);
    }
    return name === "void" ? nothing : convert(value, type);
  }

  /** `[ref] $x`: a variable that a method sets. */
  #reference(node: Syntax.Expression): Value {
    if (node.kind !== "Variable") {
      throw new Unsupported("[ref] of anything but a variable").at(node.position);
    }
    return new NetObject<Reference>(is.reference, {
      get: () => this.#variable(node),
      set: (value) => this.#assignVariable(node, value),
    });
  }

  #type(node: Syntax.TypeName): NetType {
    const type = this.types.find(node.name + "[]".repeat(node.ranks));
    if (!type) {
      throw new Unsupported(`the type [${node.name}]`).at(node.position);
    }
    return type;
  }

  // Pipelines and commands

  async #pipeline({ elements }: Syntax.Pipeline, emit: Emit): Promise<void> {
    const scope = this.#scope;
    const pipeline = {};
    const stop = () => {
      throw new Signal(pipeline);
    };
    const stages: Stage[] = [];
    let next = emit;
    await until([pipeline], async () => {
      for (const element of [...elements].reverse()) {
        const piped = element !== elements[0];
        if (element.kind === "Command") {
          const call = { position: element.position, scope, emit: next, piped, stop };
          const stage = await this.#stage(element, call);
          stages.unshift(stage);
          // Whatever scope the command before it is in, this one is in that of the pipeline.
          next = (value) => this.#inScope(scope, () => stage.process(value));
        } else if (piped) {
          throw new Unsupported("an expression behind a pipe").at(element.position);
        } else {
          const value = await this.#expression(element.expression);
          const isSilent = element.expression.kind === "Unary" && isStep(element.expression);
          for (const item of isSilent ? [] : toItems(value)) {
            await next(item);
          }
        }
      }
    });
    for (const stage of stages) {
      await until([pipeline], async () => stage.end());
    }
  }

  /** What a command calls, with its arguments. An error in it that has no place yet happened at the command. */
  async #stage(
    command: Syntax.Command,
    call: Omit<Invocation, "args" | "showsErrors">,
  ): Promise<Stage> {
    const { position, redirections } = command;
    const target = await this.#resolve(command);
    const args = await this.#arguments(command);
    const located = async <T>(run: () => T | Promise<T>): Promise<T> => {
      try {
        return await run();
      } catch (error) {
        if (error instanceof Raised) {
          complete(error, position);
        }
        throw error instanceof Unsupported ? error.at(position) : error;
      }
    };
    const showsErrors = redirections.length === 0;
    const stage = await located(() => target({ ...call, args, showsErrors }));
    return {
      process: (value) => located(() => stage.process(value)),
      end: () => located(() => stage.end()),
    };
  }

  async #resolve({ name, invocation, position }: Syntax.Command): Promise<Runnable> {
    const named = await this.#expression(name);
    const how = invocation === "." ? "." : "&";
    if (named instanceof ScriptBlock) {
      return this.#function({ name: "", body: named.body }, how);
    }
    const full = toText(named);
    const short = full.replace(/^Microsoft\.PowerShell\.\w+\\/i, "");
    const func = full === short ? this.#scope.findFunction(short) : undefined;
    if (func) {
      return this.#function(func, how);
    }
    const cmdlet = this.#cmdlets.get(short.toLowerCase());
    if (cmdlet) {
      return cmdletStage(cmdlet, this);
    }
    const path = /\.ps1$/i.test(short) ? this.host.files.resolve(short) : undefined;
    if (path !== undefined && this.host.files.status(path)) {
      return ({ args, emit, piped }) =>
        gathering(piped, async () => {
          const code = await this.#script(path, args, emit, how);
          if (code !== undefined || how === "&") {
            this.#scope.global.setVariable("LASTEXITCODE", code ?? 0);
          }
        });
    }
    const file = this.host.processes.find(short);
    if (file !== undefined) {
      return program(file, this.host);
    }
    const error = runtimeError(
      "CommandNotFoundException",
      `The term '${short}' is not recognized as the name of a cmdlet, function, script file, or operable program. ` +
        "Check the spelling of the name, or if a path was included, verify that the path is correct and try again.",
      "CommandNotFoundException",
    );
    complete(error, position);
    throw error;
  }

  /** A function or a block, which may take its input one by one. */
  #function(func: FunctionValue, how: "&" | "."): Runnable {
    return ({ args, emit, piped, position }) => {
      const run = async (input?: Value[]) => {
        const caller = func.name === "" ? undefined : position;
        const scope = how === "." ? this.#scope : new Scope(this.#scope, { caller });
        try {
          await this.#inScope(scope, () => this.#body(func, args, emit, input));
        } catch (error) {
          // It is said to have happened where the function was called, unless it was thrown.
          if (caller && error instanceof Raised && !error.located && isAdvanced(func.body)) {
            error.record = complete(error, caller).at(caller);
            error.located = true;
          }
          throw error;
        }
      };
      return piped && func.body.forEachInput
        ? { process: (value) => run([value]), end: () => undefined }
        : gathering(piped, run);
    };
  }

  async #arguments({ elements }: Syntax.Command): Promise<Argument[]> {
    const args: Argument[] = [];
    for (const element of elements) {
      const { position } = element;
      if (element.kind === "CommandParameter") {
        const value = element.value && (await this.#expression(element.value));
        args.push({ name: element.name, value, position });
      } else if (element.kind === "Variable" && element.splatted) {
        args.push(...splat(this.#variable(element), position));
      } else {
        const written = element.kind === "Constant" ? element.written : undefined;
        args.push({ value: await this.#expression(element), position, written });
      }
    }
    return args;
  }
}

/** Arguments of a command line, which are all texts: `-Name`, `-Name:value`, or a value. */
function fileArguments(args: readonly string[]): Argument[] {
  const position = { file: { path: "<command line>", text: "" }, line: 1, start: 0, end: 0 };
  return args.map((arg) => {
    const [, name, text] = /^-([A-Za-z_]\w*)(?::(.*))?$/s.exec(arg) ?? [];
    const value = text && /^\$(true|false)$/i.test(text) ? /true/i.test(text) : text;
    return name === undefined ? { value: arg, position } : { name, value, position };
  });
}

function parseScript(file: Syntax.SourceFile): Syntax.ScriptBody {
  try {
    return parse(file);
  } catch (error) {
    if (error instanceof UnsupportedSyntaxError) {
      throw new Unsupported(error.construct).at(error.position);
    }
    throw error instanceof ScriptSyntaxError
      ? terminating(runtimeError("ParseException", error.message, "ParseException"))
      : error;
  }
}

/** All that something hands on. */
async function collect(run: (emit: Emit) => Promise<void>): Promise<Value[]> {
  const items: Value[] = [];
  await run((value) => {
    items.push(value);
  });
  return items;
}

/** What a list or a table holds for a value. */
function orNull(value: Value): Value {
  return value === nothing ? null : value;
}

/** `++` or `--`, which outputs nothing where it stands alone. */
function isStep({ operator }: Syntax.Unary): boolean {
  return operator === "++" || operator === "--";
}

function outOfRange(): Raised {
  return raised("System.IndexOutOfRangeException", "Index was outside the bounds of the array.");
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"), 0)) || "/";
}
