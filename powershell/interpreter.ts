/** Runs scripts: walks their syntax trees. */
import {
  accept,
  bindArguments,
  bindingError,
  splat,
  validator,
  type Argument,
  type Bound,
  type Formal,
  type Signature,
  type Validator,
} from "./binding.ts";
import type { Call, Cmdlet, ParameterDefinition, ScopeAccess, Shell } from "./commands.ts";
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
import { parse, ScriptSyntaxError, UnsupportedSyntaxError } from "./parser.ts";
import { Scope, type FunctionValue } from "./scope.ts";
import { check, visit } from "./subset.ts";
import type * as Syntax from "./syntax.ts";
import * as is from "./types.ts";
import { raised, typeOf, type Reference, type Types, runtimeError } from "./types.ts";
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

type Emit = (value: Value) => Promise<void>;

/** On its way to the loop, the body or the script that it ends. */
class Signal extends Error {
  constructor(
    readonly kind: "Break" | "Continue" | "Return" | "Exit" | "StopPipeline",
    readonly code = 0,
    /** The pipeline that is stopped: a later command of it has all it needs. */
    readonly pipeline?: object,
  ) {
    super(kind);
  }
}

function isSignal(error: unknown, kind: Signal["kind"], pipeline?: object): error is Signal {
  return error instanceof Signal && error.kind === kind && error.pipeline === pipeline;
}

/** One stage of a running pipeline. */
interface Stage {
  process(value: Value): Promise<void>;
  end(): Promise<void>;
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
  readonly #cmdlets = new Map<string, Cmdlet>();
  readonly #mayCall: (name: string) => boolean;
  readonly #onStatement: InterpreterOptions["onStatement"];
  readonly #parsed = new Map<string, Syntax.ScriptBody>();
  #scope = new Scope(undefined, true);
  /** How many try blocks are being run, in all functions: within one, every error ends its block. */
  #tries = 0;
  /** The error that a catch block is about, for `throw` alone. */
  #caught: Raised | undefined;
  #command: Syntax.Command | undefined;
  /** Where the functions that are being run were called. */
  readonly #calls: (Syntax.Position | undefined)[] = [];

  constructor({
    host,
    types,
    cmdlets,
    variables = {},
    mayCall = () => false,
    onStatement,
  }: InterpreterOptions) {
    this.#mayCall = mayCall;
    this.host = host;
    this.types = types;
    this.#onStatement = onStatement;
    for (const cmdlet of cmdlets) {
      for (const name of [cmdlet.name, ...(cmdlet.aliases ?? [])]) {
        this.#cmdlets.set(name.toLowerCase(), cmdlet);
      }
    }
    const globals: [string, Value][] = [
      ...Object.entries(variables),
      ["erroractionpreference", "Continue"],
      ["progresspreference", "Continue"],
      ["warningpreference", "Continue"],
      ["verbosepreference", "SilentlyContinue"],
      ["lastexitcode", null],
      ["?", true],
      ["pid", host.processes.id],
    ];
    for (const [name, value] of globals) {
      this.#scope.variables.set(name.toLowerCase(), { value });
    }
  }

  /** Runs a script file as powershell.exe -File does. Returns its exit code. */
  async runFile(path: string, args: readonly string[], emit: Emit): Promise<number> {
    try {
      return (await this.#script(this.#load(path), path, fileArguments(args), emit, "&")) ?? 0;
    } catch (error) {
      if (isSignal(error, "Exit")) {
        return error.code;
      }
      if (error instanceof Raised) {
        this.host.error(
          `${error.record?.position ? `${error.record.position.file.path}:${String(error.record.position.line)}: ` : ""}${error.exception.message}\n`,
        );
        return 1;
      }
      throw error;
    }
  }

  /** The files that a script dot-sources, and those that these do, as far as their paths can be told beforehand. */
  #dotSourced(body: Syntax.ScriptBody, seen = new Set<string>()): Syntax.ScriptBody[] {
    const found: Syntax.ScriptBody[] = [];
    visit(body, (node) => {
      if (node.kind !== "Command" || node.invocation !== ".") {
        return;
      }
      const text = node.position.file.text.slice(node.position.start, node.position.end);
      const relative = /\$PSScriptRoot(?:['"]?\s+['"]?|[\\/])([^'"\s]+\.ps1)\b/i.exec(text)?.[1];
      if (relative === undefined) {
        return;
      }
      const { files } = this.host;
      const path = files.resolve(
        `${folderOf(node.position.file.path)}${files.separator}${relative}`,
      );
      if (!seen.has(path) && files.status(path)) {
        seen.add(path);
        const sourced = this.#load(path);
        found.push(sourced, ...this.#dotSourced(sourced, seen));
      }
    });
    return found;
  }

  #load(path: string): Syntax.ScriptBody {
    const text = this.host.files
      .read(path)
      .toString("utf8")
      .replace(/^\ufeff/, "");
    const known = this.#parsed.get(path);
    if (known?.position.file.text === text) {
      return known;
    }
    const body = parseScript({ path, text });
    this.#parsed.set(path, body);
    return body;
  }

  /** `&` runs a script in a scope of its own, `.` in the one around it. Returns what it gave to `exit`. */
  async #script(
    body: Syntax.ScriptBody,
    path: string,
    args: readonly Argument[],
    emit: Emit,
    how: "&" | ".",
  ): Promise<number | undefined> {
    const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
    check(body, this.#dotSourced(body), {
      cmdlets: this.#cmdlets,
      types: this.types,
      mayCall: this.#mayCall,
      isFunction: (each) => this.#scope.findFunction(each) !== undefined,
    });
    const scope = how === "." ? this.#scope : new Scope(this.#scope, true);
    return this.#inScope(scope, async () => {
      try {
        await this.#body(body, name, args, emit);
        return undefined;
      } catch (error) {
        if (isSignal(error, "Exit")) {
          return error.code;
        }
        throw error;
      }
    });
  }

  async #inScope<T>(scope: Scope, run: () => Promise<T>): Promise<T> {
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
    body: Syntax.ScriptBody,
    name: string,
    args: readonly Argument[],
    emit: Emit,
    input?: Value[],
  ): Promise<void> {
    const signature = await this.#signature(name, body);
    const bound = bindArguments(signature, args);
    const { variables } = this.#scope;
    if (input && body.forEachInput) {
      const [value = null] = input;
      variables.set("_", { value });
      for (const formal of signature.formals.filter((each) => each.pipeline !== undefined)) {
        bound.values.set(formal.name.toLowerCase(), accept(signature, formal, value));
      }
    } else if (input) {
      variables.set("input", { value: is.array(input) });
    }
    await this.#setParameters(signature, bound);
    try {
      await this.#statements(body.statements, emit);
    } catch (error) {
      if (!isSignal(error, "Return")) {
        throw error;
      }
    }
  }

  async #setParameters(signature: Signature, bound: Bound): Promise<void> {
    const { variables } = this.#scope;
    const preference = bound.common.get("ErrorAction");
    if (preference !== undefined) {
      variables.set("erroractionpreference", { value: preference });
    }
    variables.set("args", { value: is.array(bound.rest) });
    const given = new Hashtable(is.hashtable);
    for (const [name, value] of bound.common) {
      given.set(name, name === "ErrorAction" ? convert(value, is.actionPreference) : value);
    }
    for (const formal of signature.formals) {
      const key = formal.name.toLowerCase();
      let value = bound.values.get(key);
      if (value === undefined) {
        if (formal.mandatory) {
          throw bindingError(
            signature,
            "MissingMandatoryParameter",
            `Cannot process command because of one or more missing mandatory parameters: ${formal.name}.`,
          );
        }
        const defaultValue = formal.defaultValue
          ? await this.#expression(formal.defaultValue)
          : undefined;
        value =
          defaultValue === undefined
            ? formal.type
              ? (tryConvert(null, formal.type) ?? null)
              : null
            : formal.type
              ? convert(defaultValue, formal.type)
              : defaultValue;
      } else {
        given.set(formal.name, value);
      }
      variables.set(key, { value, type: formal.type, validators: formal.validators });
    }
    variables.set("psboundparameters", { value: given });
  }

  async #signature(name: string, body: Syntax.ScriptBody): Promise<Signature> {
    const parameters = body.parameters ?? [];
    const isStrict = isAdvanced(body);
    const formals: Formal[] = [];
    for (const [index, parameter] of parameters.entries()) {
      const own = attribute(parameter.attributes, "parameter")[0];
      const validators: Validator[] = [];
      for (const each of parameter.attributes) {
        if (/^(parameter|alias|allow\w+)$/i.test(each.name)) {
          continue;
        }
        const args = await Promise.all(each.args.map((arg) => this.#expression(arg)));
        const named = new Map<string, Value>();
        for (const { name: key, value } of each.named) {
          named.set(key.toLowerCase(), value ? await this.#expression(value) : true);
        }
        const check = validator(each, args, named);
        if (check) {
          validators.push(check);
        }
      }
      const has = (wanted: string) => attribute(parameter.attributes, wanted).length > 0;
      for (const { name: key } of own?.named ?? []) {
        if (
          !["mandatory", "position", "helpmessage", "valuefrompipeline"].includes(key.toLowerCase())
        ) {
          throw new Unsupported(`[Parameter(${key})]`).at(parameter.position);
        }
      }
      const mandatory = own?.named.find((each) => each.name.toLowerCase() === "mandatory");
      const type = parameter.type ? this.#type(parameter.type) : undefined;
      formals.push({
        name: parameter.name,
        aliases: [],
        type,
        isSwitch: type === is.switchParameter,
        mandatory:
          mandatory !== undefined &&
          (mandatory.value === undefined || toBool(await this.#expression(mandatory.value))),
        position: type === is.switchParameter ? undefined : index,
        pipeline: own?.named.some((each) => each.name.toLowerCase() === "valuefrompipeline")
          ? "value"
          : undefined,
        validators,
        allowNull: has("allownull"),
        allowEmptyString: has("allowemptystring"),
        allowEmptyCollection: has("allowemptycollection"),
        defaultValue: parameter.defaultValue,
      });
    }
    return { name, command: name, strict: isStrict, isCmdlet: false, formals };
  }

  // Statements

  async #statements(statements: readonly Syntax.Statement[], emit: Emit): Promise<void> {
    for (const statement of statements) {
      this.#onStatement?.(statement);
      try {
        await this.#statement(statement, emit);
      } catch (error) {
        await this.#afterError(error, statement);
      }
    }
  }

  /** Decides whether an error ends more than its statement. */
  async #afterError(error: unknown, statement: Syntax.Statement): Promise<void> {
    if (error instanceof Unsupported) {
      throw error.at(statement.position);
    }
    if (!(error instanceof Raised)) {
      throw error;
    }
    this.#complete(error, statement.position);
    if (error.terminating || this.#tries > 0 || this.#preference() === "stop") {
      throw error;
    }
    this.#scope.global.variables.set("?", { value: false });
    if (this.#preference() !== "silentlycontinue" && this.#preference() !== "ignore") {
      this.host.error(`${error.exception.message}\n`);
    }
    return Promise.resolve();
  }

  /** Gives an error its record, with the place where it happened. */
  #complete(error: Raised, position: Syntax.Position): void {
    error.record ??= new ErrorRecord(
      is.errorRecord,
      error.exception,
      error.id ?? error.exception.type.shortName,
      "NotSpecified",
      null,
      position,
    );
  }

  #preference(): string {
    return toText(this.#scope.find("erroractionpreference")?.value ?? "Continue").toLowerCase();
  }

  async #statement(statement: Syntax.Statement, emit: Emit): Promise<void> {
    switch (statement.kind) {
      case "Pipeline":
        return this.#pipeline(statement, emit);
      case "Assignment":
        await this.#assignment(statement);
        return;
      case "If":
        return this.#if(statement, emit);
      case "While":
        return this.#loop(
          async () => toBool(await this.#value(statement.condition)),
          statement.body,
          undefined,
          emit,
          true,
        );
      case "DoLoop":
        return this.#loop(
          async () => toBool(await this.#value(statement.condition)) !== statement.until,
          statement.body,
          undefined,
          emit,
          false,
        );
      case "For":
        return this.#for(statement, emit);
      case "ForEach":
        return this.#forEach(statement, emit);
      case "Try":
        return this.#try(statement, emit);
      case "FunctionDefinition":
        this.#scope.functions.set(statement.name.toLowerCase(), {
          name: statement.name,
          body: statement.body,
          definition: statement,
        });
        return;
      case "Throw":
        throw await this.#throw(statement);
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
    if (statement.kind === "Pipeline" && statement.elements.length === 1) {
      const [element] = statement.elements;
      if (element?.kind === "ExpressionElement") {
        return this.#expression(element.expression);
      }
    }
    if (statement.kind === "Assignment") {
      return this.#assignment(statement);
    }
    return fromItems(await this.#collect((emit) => this.#statement(statement, emit)));
  }

  async #collect(run: (emit: Emit) => Promise<void>): Promise<Value[]> {
    const items: Value[] = [];
    await run((value) => {
      items.push(value);
      return Promise.resolve();
    });
    return items;
  }

  async #if(statement: Syntax.If, emit: Emit): Promise<void> {
    for (const { condition, body } of statement.clauses) {
      if (toBool(await this.#value(condition))) {
        return this.#statements(body, emit);
      }
    }
    return this.#statements(statement.otherwise ?? [], emit);
  }

  async #loop(
    condition: () => Promise<boolean>,
    body: readonly Syntax.Statement[],
    iterate: (() => Promise<void>) | undefined,
    emit: Emit,
    first: boolean,
  ): Promise<void> {
    for (let looks = first; !looks || (await condition()); looks = true) {
      if (await this.#iteration(body, emit)) {
        return;
      }
      await iterate?.();
    }
  }

  /** Runs a loop's body once. Returns whether the loop ends. */
  async #iteration(body: readonly Syntax.Statement[], emit: Emit): Promise<boolean> {
    try {
      await this.#statements(body, emit);
    } catch (error) {
      if (isSignal(error, "Break")) {
        return true;
      }
      if (!isSignal(error, "Continue")) {
        throw error;
      }
    }
    return false;
  }

  async #for(statement: Syntax.For, emit: Emit): Promise<void> {
    const { initializer, condition, iterator, body } = statement;
    const silent = () => Promise.resolve();
    if (initializer) {
      await this.#statement(initializer, silent);
    }
    await this.#loop(
      async () => !condition || toBool(await this.#value(condition)),
      body,
      iterator && (() => this.#statement(iterator, silent)),
      emit,
      true,
    );
  }

  async #forEach(statement: Syntax.ForEach, emit: Emit): Promise<void> {
    const collection = await this.#value(statement.collection);
    for (const item of isNull(collection) ? [] : [...toItems(collection)]) {
      this.#assignVariable(statement.variable, item);
      if (await this.#iteration(statement.body, emit)) {
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
      this.#complete(error, statement.position);
      const handler = this.#handler(statement, error);
      if (!handler) {
        throw error;
      }
      await this.#catch(handler.error, handler.body, emit);
    } finally {
      await this.#statements(statement.final ?? [], emit);
    }
  }

  /** The first catch whose type fits the exception, or failing that the one within. */
  #handler(
    statement: Syntax.Try,
    error: Raised,
  ): { readonly body: readonly Syntax.Statement[]; readonly error: Raised } | undefined {
    const { exception } = error;
    const wrapper = /^(MethodInvocation|GetValueInvocation)Exception$/.test(
      exception.type.shortName,
    );
    for (const { types, body } of statement.catches) {
      const fits = ({ type }: NetException) => types.some((each) => type.is(this.#type(each)));
      if (types.length === 0 || fits(exception)) {
        return { body, error };
      }
      if (wrapper && exception.inner && fits(exception.inner)) {
        const inner = new Raised(exception.inner, undefined, error.id, error.terminating);
        this.#complete(inner, error.record?.position ?? statement.position);
        return { body, error: inner };
      }
    }
    return undefined;
  }

  async #catch(error: Raised, body: readonly Syntax.Statement[], emit: Emit): Promise<void> {
    const outer = this.#caught;
    const restore = this.#setLocal("_", error.record ?? null);
    this.#caught = error;
    try {
      await this.#statements(body, emit);
    } finally {
      this.#caught = outer;
      restore();
    }
  }

  /** Sets a variable of the current scope for a while. */
  #setLocal(name: string, value: Value): () => void {
    const { variables } = this.#scope;
    const before = variables.get(name);
    variables.set(name, { value });
    return () => {
      if (before) {
        variables.set(name, before);
      } else {
        variables.delete(name);
      }
    };
  }

  async #throw(statement: Syntax.Flow): Promise<Raised> {
    if (!statement.value) {
      if (this.#caught) {
        this.#caught.terminating = true;
        return this.#caught;
      }
      return terminating(runtimeError("ScriptHalted", "ScriptHalted"));
    }
    const value = await this.#value(statement.value);
    if (value instanceof ErrorRecord) {
      return terminating(new Raised(value.exception, value, value.id));
    }
    const error =
      value instanceof NetException
        ? new Raised(value, undefined, value.message)
        : raised("System.Management.Automation.RuntimeException", toText(value), {
            id: toText(value),
          });
    this.#complete(error, statement.position);
    return terminating(error);
  }

  // Assignments

  async #assignment(statement: Syntax.Assignment): Promise<Value> {
    const { target, operator } = statement;
    let value = await this.#value(statement.value);
    if (operator !== "=") {
      const before = await this.#before(target.kind === "Cast" ? target.operand : target);
      value = this.#binary(operator.slice(0, -1), before, value);
    }
    await this.#assign(target, value);
    return value;
  }

  /** What += begins with: within a function a variable of an outer scope does not count, as it does for ++. */
  #before(target: Syntax.Expression): Promise<Value> | Value {
    const isOuter =
      target.kind === "Variable" &&
      target.scope === undefined &&
      !this.#scope.isScript &&
      !this.#scope.variables.has(target.name.toLowerCase());
    return isOuter ? null : this.#expression(target);
  }

  async #assign(target: Syntax.Expression, value: Value): Promise<void> {
    if (target.kind === "Variable") {
      this.#assignVariable(target, value);
    } else if (target.kind === "Cast") {
      const type = this.#type(target.type);
      const converted = convertForVariable(value, type);
      if (target.operand.kind === "Variable" && target.operand.scope === undefined) {
        this.#scope.variables.set(target.operand.name.toLowerCase(), { value: converted, type });
      } else {
        await this.#assign(target.operand, converted);
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

  async #memberName({ name }: Syntax.Member | Syntax.MethodCall): Promise<string> {
    return typeof name === "string" ? name : toText(await this.#expression(name));
  }

  #assignVariable(target: Syntax.Variable, value: Value): void {
    const name = target.name.toLowerCase();
    if (target.scope === "env") {
      this.host.environment.set(target.name, isNull(value) ? undefined : toText(value));
      return;
    }
    const scope = this.#scopeOf(target);
    const slot = scope.variables.get(name);
    if (!slot) {
      scope.variables.set(name, { value });
      return;
    }
    const converted = slot.type ? convertForVariable(value, slot.type) : value;
    for (const check of slot.validators ?? []) {
      const problem = check(converted);
      if (problem !== undefined) {
        throw runtimeError(
          "ValidateSetFailure",
          `The variable cannot be validated because the value ${toText(value)} is not a valid value for the ${target.name} variable.`,
          "ValidationMetadataException",
        );
      }
    }
    slot.value = converted;
  }

  #scopeOf(variable: Syntax.Variable): Scope {
    switch (variable.scope) {
      case undefined:
      case "local":
        return this.#scope;
      case "script":
        return this.#scope.script;
      case "global":
        return this.#scope.global;
      default:
        throw new Unsupported(`the variable $${variable.scope}:${variable.name}`);
    }
  }

  async #assignIndex(object: Value, index: Value, value: Value): Promise<void> {
    if (object instanceof Hashtable) {
      object.set(index, value);
      return;
    }
    if (object instanceof PsArray) {
      const at = Number(convert(index, is.int));
      const place = at < 0 ? at + object.items.length : at;
      if (place < 0 || place >= object.items.length) {
        throw raised(
          "System.IndexOutOfRangeException",
          "Index was outside the bounds of the array.",
        );
      }
      object.items[place] = convert(value, object.type.element ?? is.types.get("object"));
      return;
    }
    if (isNull(object)) {
      throw runtimeError("NullArray", "Cannot index into a null array.");
    }
    await this.#callNamed(object, "set_Item", [index, value]);
  }

  // Expressions

  async #expression(node: Syntax.Expression): Promise<Value> {
    switch (node.kind) {
      case "Constant":
        return typeof node.value === "object" ? new Num(is.double, node.value.double) : node.value;
      case "ExpandableString": {
        let text = "";
        for (const part of node.parts) {
          text += typeof part === "string" ? part : this.text(await this.#expression(part));
        }
        return text;
      }
      case "Variable":
        return this.#variable(node);
      case "Member":
        return this.#member(node);
      case "MethodCall":
        return this.#methodCall(node);
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
      case "ArrayLiteral": {
        const items: Value[] = [];
        for (const item of node.items) {
          const value = await this.#expression(item);
          items.push(value === nothing ? null : value);
        }
        return is.array(items);
      }
      case "ArrayExpression":
        return is.array(await this.#collect((emit) => this.#statements(node.body, emit)));
      case "SubExpression":
        return fromItems(await this.#collect((emit) => this.#statements(node.body, emit)));
      case "Parenthesis":
        return this.#value(node.statement);
      case "HashtableLiteral":
        return this.#table(node, is.hashtable);
      case "ScriptBlockLiteral":
        return new ScriptBlock(is.scriptBlock, node.block);
    }
  }

  text(value: Value): string {
    return toText(value);
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
        throw raised(
          "System.ArgumentException",
          `Item has already been added. Key in dictionary: '${toText(name)}'`,
          {
            id: "DuplicateKeyInHashLiteral",
          },
        );
      }
      table.set(name, held === nothing ? null : held);
    }
    return table;
  }

  #variable(node: Syntax.Variable): Value {
    const name = node.name.toLowerCase();
    if (node.scope === "env") {
      return this.host.environment.get(node.name) ?? null;
    }
    if (node.scope === undefined) {
      const { path } = node.position.file;
      switch (name) {
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
      node.scope === undefined ? this.#scope.find(name) : this.#scopeOf(node).variables.get(name);
    if (slot) {
      return slot.value;
    }
    if (this.#scope.isStrict && !["_", "input", "matches"].includes(name)) {
      throw raised(
        "System.Management.Automation.RuntimeException",
        `The variable '$${node.scope === undefined ? "" : `${node.scope}:`}${node.name}' cannot be retrieved because it has not been set.`,
        { id: "VariableIsUndefined" },
      );
    }
    return null;
  }

  async #member(node: Syntax.Member): Promise<Value> {
    const object = await this.#expression(node.object);
    const name = await this.#memberName(node);
    if (node.isStatic) {
      return getStatic(object instanceof NetType ? object : typeOf(object ?? ""), name);
    }
    const value = await getProperty(object, name, this.#scope.isStrict);
    if (value !== undefined) {
      return value;
    }
    if (this.#scope.isStrict) {
      throw runtimeError(
        "PropertyNotFoundStrict",
        `The property '${name}' cannot be found on this object. Verify that the property exists.`,
        "PropertyNotFoundException",
      );
    }
    return /^(count|length)$/i.test(name) ? (isNull(object) ? 0 : 1) : null;
  }

  async #methodCall(node: Syntax.MethodCall): Promise<Value> {
    const object = await this.#expression(node.object);
    const name = await this.#memberName(node);
    const args: Value[] = [];
    for (const arg of node.args) {
      args.push(await this.#expression(arg));
    }
    if (!node.isStatic) {
      return this.#callNamed(object, name, args);
    }
    if (!(object instanceof NetType)) {
      throw new Unsupported(`a static method of a value: ${name}`);
    }
    return callStatic(object, name, args, this.types);
  }

  async #callNamed(object: Value, name: string, args: readonly Value[]): Promise<Value> {
    if (object instanceof ScriptBlock && name.toLowerCase() === "invoke") {
      return is.array(
        await this.#collect((emit) => this.invoke(object, { args, child: true }, emit)),
      );
    }
    return callMethod(object, name, args, this.types, (block, given, self) => {
      return this.evaluate(block, { args: given, child: true, self });
    });
  }

  async #index(object: Value, index: Value): Promise<Value> {
    if (isNull(object)) {
      throw runtimeError("NullArray", "Cannot index into a null array.");
    }
    if (object instanceof Hashtable) {
      if (object.type === is.orderedDictionary && typeof index === "number") {
        return object.entries().at(index)?.value ?? null;
      }
      const keys = index instanceof PsArray ? index.items : undefined;
      return keys
        ? is.array(keys.map((key) => object.get(key) ?? null))
        : (object.get(index) ?? null);
    }
    const items = typeof object === "string" ? [...chars(object)] : enumerated(object);
    if (items && !(typeof index === "string" && !(object instanceof PsArray))) {
      if (index instanceof PsArray) {
        return is.array(
          index.items
            .map((each) => this.#element(items, each))
            .filter((each) => each !== undefined),
        );
      }
      const element = this.#element(items, index);
      if (element === undefined && this.#scope.isStrict) {
        throw raised(
          "System.IndexOutOfRangeException",
          "Index was outside the bounds of the array.",
        );
      }
      return element ?? null;
    }
    if (typeOf(object).overloads("get_item").length > 0) {
      return this.#callNamed(object, "get_Item", [index]);
    }
    if (items) {
      // A collection with names, as .PSObject.Properties['x'].
      for (const item of items) {
        if (
          toText((await getProperty(item, "Name")) ?? null).toLowerCase() ===
          toText(index).toLowerCase()
        ) {
          return item;
        }
      }
      return null;
    }
    throw runtimeError(
      "CannotIndex",
      `Unable to index into an object of type ${typeOf(object).name}.`,
    );
  }

  #element(items: readonly Value[], index: Value): Value | undefined {
    return items.at(Number(convert(index, is.int)));
  }

  async #unary(node: Syntax.Unary): Promise<Value> {
    if (node.operator === "++" || node.operator === "--") {
      const before = await this.#expression(node.operand);
      const after = this.#binary(node.operator === "++" ? "+" : "-", before, 1);
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
        return is.array([value === nothing ? null : value]);
      case "-join":
        return joined(value, "");
      case "-split":
        return splitWords(value);
      default:
        throw new Unsupported(`the operator ${node.operator}`).at(node.position);
    }
  }

  async #binaryNode(node: Syntax.Binary): Promise<Value> {
    const left = await this.#expression(node.left);
    switch (node.operator) {
      case "-and":
        return toBool(left) && toBool(await this.#expression(node.right));
      case "-or":
        return toBool(left) || toBool(await this.#expression(node.right));
      case "-xor":
        return toBool(left) !== toBool(await this.#expression(node.right));
    }
    const right = await this.#expression(node.right);
    if (
      (node.operator === "-replace" || node.operator === "-creplace") &&
      right instanceof PsArray &&
      right.items[1] instanceof ScriptBlock
    ) {
      throw new Unsupported("-replace with a script block").at(node.position);
    }
    return this.#binary(node.operator, left, right);
  }

  #binary(operator: string, left: Value, right: Value): Value {
    return binary(operator, left, right, (groups) => {
      this.#scope.variables.set("matches", { value: groups });
    });
  }

  async #cast(node: Syntax.Cast): Promise<Value> {
    const name = node.type.name.toLowerCase();
    if (node.operand.kind === "HashtableLiteral" && node.type.ranks === 0) {
      if (name === "ordered") {
        return this.#table(node.operand, is.orderedDictionary);
      }
      if (name === "pscustomobject") {
        return toCustomObject(await this.#table(node.operand, is.orderedDictionary));
      }
    }
    if (name === "ref") {
      return this.#reference(node.operand);
    }
    const value = await this.#expression(node.operand);
    const type = this.#type(node.type);
    if (type === is.psObject && name === "pscustomobject" && value instanceof Hashtable) {
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
      set: (value) => {
        this.#assignVariable(node, value);
      },
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

  async #pipeline(pipeline: Syntax.Pipeline, emit: Emit): Promise<void> {
    const [first, ...others] = pipeline.elements;
    if (first?.kind === "ExpressionElement" && others.length === 0) {
      const { expression } = first;
      const silent =
        expression.kind === "Unary" &&
        (expression.operator === "++" || expression.operator === "--");
      const value = await this.#expression(expression);
      if (!silent) {
        await emitAll(value, emit);
      }
      return;
    }
    const marker = {};
    let next: Emit = emit;
    const scope = this.#scope;
    const stages: Stage[] = [];
    const untilStopped = async (run: () => Promise<void>) => {
      try {
        await run();
      } catch (error) {
        if (!isSignal(error, "StopPipeline", marker)) {
          throw error;
        }
      }
    };
    await untilStopped(async () => {
      for (const element of [...others].reverse()) {
        if (element.kind !== "Command") {
          throw new Unsupported("an expression behind a pipe").at(element.position);
        }
        const stage = await this.#stage(element, next, true, marker);
        stages.unshift(stage);
        // Whatever scope the command before it is in, this one is in that of the pipeline.
        next = (value) => this.#inScope(scope, () => stage.process(value));
      }
      if (first?.kind === "ExpressionElement") {
        await emitAll(await this.#expression(first.expression), next);
      } else if (first) {
        const stage = await this.#stage(first, next, false, marker);
        await stage.end();
      }
    });
    for (const stage of stages) {
      await untilStopped(() => stage.end());
    }
  }

  /** A command, ready to take what comes down the pipeline. */
  async #stage(
    command: Syntax.Command,
    emit: Emit,
    piped: boolean,
    marker: object,
  ): Promise<Stage> {
    const target = await this.#resolve(command);
    if (target.kind === "program") {
      return this.#program(target.path, command, emit, piped);
    }
    const args = await this.#arguments(command);
    if (target.kind === "cmdlet") {
      return this.#cmdlet(target.cmdlet, command, args, emit, piped, marker);
    }
    const input: Value[] = [];
    const run = (values?: Value[]) => this.#located(command, () => target.run(args, emit, values));
    return {
      process: (value) => {
        if (target.forEachInput) {
          return run([value]);
        }
        input.push(value);
        return Promise.resolve();
      },
      end: () =>
        piped && target.forEachInput ? Promise.resolve() : run(piped ? input : undefined),
    };
  }

  /** Runs a command; an error in it that has no place yet happened here. */
  async #located<T>(command: Syntax.Command, run: () => Promise<T>): Promise<T> {
    const outer = this.#command;
    this.#command = command;
    try {
      return await run();
    } catch (error) {
      if (error instanceof Raised) {
        this.#complete(error, command.position);
      }
      throw error instanceof Unsupported ? error.at(command.position) : error;
    } finally {
      this.#command = outer;
    }
  }

  async #resolve(command: Syntax.Command): Promise<
    | { kind: "cmdlet"; cmdlet: Cmdlet }
    | { kind: "program"; path: string }
    | {
        kind: "run";
        forEachInput: boolean;
        run: (args: readonly Argument[], emit: Emit, input?: Value[]) => Promise<void>;
      }
  > {
    const named = await this.#expression(command.name);
    const inPlace = command.invocation === ".";
    if (named instanceof ScriptBlock) {
      return {
        kind: "run",
        forEachInput: named.body.forEachInput,
        run: (args, emit, input) => this.#block(named.body, "", args, emit, inPlace, input),
      };
    }
    const full = toText(named);
    const name = full.replace(moduleName, "");
    const func = full === name ? this.#scope.findFunction(name.toLowerCase()) : undefined;
    if (func) {
      return {
        kind: "run",
        forEachInput: func.body.forEachInput,
        run: (args, emit, input) => this.#function(func, args, emit, inPlace, input),
      };
    }
    const cmdlet = this.#cmdlets.get(name.toLowerCase());
    if (cmdlet) {
      return { kind: "cmdlet", cmdlet };
    }
    if (/\.ps1$/i.test(name)) {
      const path = this.host.files.resolve(name);
      if (this.host.files.status(path)) {
        const body = this.#load(path);
        return {
          kind: "run",
          forEachInput: false,
          run: async (args, emit) => {
            const code = await this.#script(body, path, args, emit, inPlace ? "." : "&");
            if (code !== undefined || !inPlace) {
              this.#scope.global.variables.set("lastexitcode", { value: code ?? 0 });
            }
          },
        };
      }
    }
    const path = this.host.processes.find(name);
    if (path !== undefined) {
      return { kind: "program", path };
    }
    const error = runtimeError(
      "CommandNotFoundException",
      `The term '${name}' is not recognized as the name of a cmdlet, function, script file, or operable program. ` +
        "Check the spelling of the name, or if a path was included, verify that the path is correct and try again.",
      "CommandNotFoundException",
    );
    this.#complete(error, command.position);
    throw error;
  }

  /** An error that leaves a function with CmdletBinding is said to have happened where that was called; a thrown one is not. */
  async #function(
    func: FunctionValue,
    args: readonly Argument[],
    emit: Emit,
    inPlace: boolean,
    input?: Value[],
  ): Promise<void> {
    const command = this.#command;
    this.#calls.push(command?.position);
    try {
      await this.#block(func.body, func.name, args, emit, inPlace, input);
    } catch (error) {
      if (error instanceof Raised && !error.located && command && isAdvanced(func.body)) {
        this.#complete(error, command.position);
        error.located = true;
        error.record = error.record?.at(command.position);
      }
      throw error;
    } finally {
      this.#calls.pop();
    }
  }

  async #block(
    body: Syntax.ScriptBody,
    name: string,
    args: readonly Argument[],
    emit: Emit,
    inPlace: boolean,
    input?: Value[],
  ): Promise<void> {
    const scope = inPlace ? this.#scope : new Scope(this.#scope, false);
    return this.#inScope(scope, () => this.#body(body, name, args, emit, input));
  }

  async invoke(
    block: ScriptBlock,
    options: {
      readonly underscore?: Value;
      readonly args?: readonly Value[];
      readonly child?: boolean;
      readonly self?: Value;
    },
    emit: Emit,
  ): Promise<void> {
    const scope = options.child ? new Scope(this.#scope, false) : this.#scope;
    const args = (options.args ?? []).map((value) => ({ value, position: block.body.position }));
    await this.#inScope(scope, async () => {
      const restore: (() => void)[] = [];
      if (options.underscore !== undefined) {
        restore.push(this.#setLocal("_", options.underscore));
      }
      if (options.self !== undefined) {
        restore.push(this.#setLocal("this", options.self));
      }
      try {
        await this.#body(block.body, "", args, emit);
      } finally {
        restore.forEach((each) => {
          each();
        });
      }
    });
  }

  async evaluate(
    block: ScriptBlock,
    options: {
      readonly underscore?: Value;
      readonly args?: readonly Value[];
      readonly child?: boolean;
      readonly self?: Value;
    },
  ): Promise<Value> {
    return fromItems(await this.#collect((emit) => this.invoke(block, options, emit)));
  }

  convert(value: Value, type: string): Promise<Value> {
    return Promise.resolve(convert(value, this.types.get(type)));
  }

  property(value: Value, name: string): Promise<Value | undefined> {
    return getProperty(value, name);
  }

  variable(name: string): Value | undefined {
    return this.#scope.find(name.toLowerCase())?.value;
  }

  async #arguments(command: Syntax.Command): Promise<Argument[]> {
    const args: Argument[] = [];
    for (const element of command.elements) {
      const { position } = element;
      if (element.kind === "CommandParameter") {
        args.push({
          name: element.name,
          ...(element.value ? { value: await this.#expression(element.value) } : {}),
          position,
        });
      } else if (element.kind === "Variable" && element.splatted) {
        args.push(...splat(this.#variable(element), position));
      } else {
        const value = await this.#expression(element);
        const written = element.kind === "Constant" ? element.written : undefined;
        args.push({ value, position, ...(written === undefined ? {} : { written }) });
      }
    }
    return args;
  }

  /** What a program gets as its arguments. */
  async #programArguments(command: Syntax.Command): Promise<string[]> {
    const words: string[] = [];
    for (const element of command.elements) {
      if (element.kind === "CommandParameter") {
        const value = element.value ? toText(await this.#expression(element.value)) : undefined;
        words.push(`-${element.name}${value === undefined ? "" : `:${value}`}`);
      } else if (element.kind === "Constant" && element.written !== undefined) {
        words.push(element.written);
      } else {
        const value =
          element.kind === "Variable" && element.splatted
            ? this.#variable(element)
            : await this.#expression(element);
        words.push(...(isNull(value) ? [] : toItems(value).map(toText)));
      }
    }
    return words;
  }

  async #program(
    path: string,
    command: Syntax.Command,
    emit: Emit,
    piped: boolean,
  ): Promise<Stage> {
    const args = await this.#programArguments(command);
    const input: Value[] = [];
    return {
      process: (value) => {
        input.push(value);
        return Promise.resolve();
      },
      end: async () => {
        const child = this.host.processes.start({ file: path, args });
        if (piped) {
          child.writeInput(Buffer.from(input.map((value) => `${toText(value)}\n`).join("")));
        }
        child.closeInput();
        const [code, output, errors] = await Promise.all([child.ended, child.stdout, child.stderr]);
        this.#scope.global.variables.set("lastexitcode", { value: code });
        this.#scope.global.variables.set("?", { value: code === 0 });
        if (command.redirections.length === 0) {
          this.host.error(errors.toString("utf8"));
        }
        for (const line of lines(output.toString("utf8"))) {
          await emit(line);
        }
      },
    };
  }

  #cmdlet(
    cmdlet: Cmdlet,
    command: Syntax.Command,
    args: readonly Argument[],
    emit: Emit,
    piped: boolean,
    marker: object,
  ): Promise<Stage> {
    const signature = cmdletSignature(cmdlet, this.types);
    return this.#located(command, () => {
      const bound = bindArguments(signature, args);
      const missing = () => {
        const formal = signature.formals.find(
          (each) =>
            each.mandatory &&
            !bound.values.has(each.name.toLowerCase()) &&
            !(piped && each.pipeline),
        );
        if (formal) {
          throw bindingError(
            signature,
            "MissingMandatoryParameter",
            `Cannot process command because of one or more missing mandatory parameters: ${formal.name}.`,
          );
        }
      };
      missing();
      const call = this.#call(cmdlet, command, bound, emit, marker);
      const opened = cmdlet.open?.(call);
      const run = async (body: (() => void | Promise<void>) | undefined) => {
        await this.#located(command, async () => {
          try {
            await body?.();
          } catch (error) {
            if (error instanceof Raised && !error.record) {
              this.#recordOf(error, cmdlet, command, null);
              error.located = true;
            }
            throw error;
          }
        });
      };
      const process = opened
        ? opened.process?.bind(opened)
        : cmdlet.run && (() => cmdlet.run?.(call));
      return Promise.resolve({
        process: async (value: Value) => {
          await this.#bindInput(signature, bound, value);
          await run(process);
        },
        end: async () => {
          if (!piped && process) {
            await run(process);
          }
          await run(opened?.end?.bind(opened));
        },
      });
    });
  }

  /** Binds one value of the pipeline to the parameter that takes it. */
  async #bindInput(signature: Signature, bound: Bound, value: Value): Promise<void> {
    const given = (formal: Formal) =>
      bound.values.has(formal.name.toLowerCase()) && !this.#fromPipeline.has(formal);
    for (const formal of signature.formals) {
      if (formal.pipeline === undefined || given(formal)) {
        continue;
      }
      const key = formal.name.toLowerCase();
      if (
        formal.pipeline !== "property" &&
        (formal.type === undefined ||
          formal.type.name === "System.Object" ||
          (!isNull(value) && typeOf(value).is(formal.type)) ||
          (typeof value !== "object" && tryConvert(value, formal.type) !== undefined))
      ) {
        this.#fromPipeline.add(formal);
        bound.values.set(key, formal.type ? accept(signature, formal, value) : value);
        return;
      }
    }
    for (const formal of signature.formals) {
      if (formal.pipeline === undefined || formal.pipeline === "value" || given(formal)) {
        continue;
      }
      for (const name of [formal.name, ...formal.aliases]) {
        const property = await getProperty(value, name);
        if (property !== undefined) {
          this.#fromPipeline.add(formal);
          bound.values.set(formal.name.toLowerCase(), accept(signature, formal, property));
          return;
        }
      }
    }
    for (const formal of signature.formals) {
      if (formal.pipeline && formal.pipeline !== "property" && !given(formal)) {
        this.#fromPipeline.add(formal);
        bound.values.set(formal.name.toLowerCase(), accept(signature, formal, value));
        return;
      }
    }
    throw bindingError(
      signature,
      "InputObjectNotBound",
      "The input object cannot be bound to any parameters for the command.",
    );
  }
  readonly #fromPipeline = new WeakSet<Formal>();

  #call(cmdlet: Cmdlet, command: Syntax.Command, bound: Bound, emit: Emit, marker: object): Call {
    const get = (name: string) => bound.values.get(name.toLowerCase());
    return {
      shell: this,
      position: command.position,
      name: cmdlet.name,
      get,
      text: (name) => {
        const value = get(name);
        return value === undefined ? undefined : toText(value);
      },
      texts: (name) => {
        const value = get(name);
        return value === undefined ? undefined : toItems(value).map(toText);
      },
      number: (name) => {
        const value = get(name);
        return value === undefined ? undefined : Number(value instanceof Num ? value.value : value);
      },
      flag: (name) => toBool(get(name) ?? false),
      block: (name) => {
        const value = get(name);
        return value instanceof ScriptBlock ? value : undefined;
      },
      emit,
      stop: () => {
        throw new Signal("StopPipeline", 0, marker);
      },
      fail: (error, options) => {
        this.#recordOf(error, cmdlet, command, options?.target ?? null, options?.category);
        const preference = toText(
          bound.common.get("ErrorAction") ?? this.#preference(),
        ).toLowerCase();
        if (preference === "stop") {
          throw terminating(error);
        }
        this.#scope.global.variables.set("?", { value: false });
        if (preference === "continue") {
          this.host.error(`${error.exception.message}\n`);
        }
        return Promise.resolve();
      },
      scope: { ...this.#scopeAccess, caller: this.#calls.at(-1) },
    };
  }

  #recordOf(
    error: Raised,
    cmdlet: Cmdlet,
    command: Syntax.Command,
    target: Value,
    category = "NotSpecified",
  ): void {
    const id = error.id ?? error.exception.type.shortName;
    const full =
      cmdlet.implementation !== undefined && !id.includes(",")
        ? `${id},${cmdlet.implementation}`
        : id;
    error.record ??= new ErrorRecord(
      is.errorRecord,
      error.exception,
      full,
      category,
      target,
      command.position,
    );
  }

  readonly #scopeAccess: Omit<ScopeAccess, "caller"> = {
    setStrict: (strict: boolean) => {
      this.#scope.strict = strict;
    },
    commands: (pattern) => {
      const wanted = wildcard(pattern);
      const names = [
        ...this.#scope.functionNames(),
        ...[...this.#cmdlets.values()].map((cmdlet) => cmdlet.name),
      ];
      const program = this.host.processes.find(pattern);
      return [...new Set(names)]
        .filter((name) => wanted.test(name))
        .concat(program === undefined ? [] : [pattern]);
    },
    setAlias: (name, of) => {
      const func = this.#scope.findFunction(of.toLowerCase());
      if (func) {
        this.#scope.functions.set(name.toLowerCase(), func);
      }
    },
    setVariable: (name, value, levels) => {
      let scope = this.#scope;
      for (let level = 0; level < levels && scope.parent; level++) {
        scope = scope.parent;
      }
      scope.variables.set(name.toLowerCase(), { value });
    },
  };
}

/** The module of a cmdlet's full name. */
const moduleName = /^Microsoft\.PowerShell\.\w+\\/i;

const signatures = new WeakMap<Cmdlet, Signature>();

function cmdletSignature(cmdlet: Cmdlet, types: Types): Signature {
  const known = signatures.get(cmdlet);
  if (known) {
    return known;
  }
  const formal = ([name, definition]: [string, ParameterDefinition]): Formal => {
    const type = definition.type === "object" ? undefined : types.get(definition.type);
    const { set } = definition;
    return {
      name,
      aliases: definition.aliases ?? [],
      type,
      isSwitch: type === is.switchParameter,
      mandatory: definition.mandatory ?? false,
      position: definition.position,
      pipeline: definition.pipeline,
      rest: definition.rest ?? false,
      validators: set
        ? [
            (value) =>
              toItems(value).every((item) =>
                set.some((each) => each.toLowerCase() === toText(item).toLowerCase()),
              )
                ? undefined
                : `The argument "${toText(value)}" does not belong to the set "${set.join(",")}".`,
          ]
        : [],
      allowNull: definition.allowEmpty ?? false,
      allowEmptyString: definition.allowEmpty ?? false,
      allowEmptyCollection: definition.allowEmpty ?? false,
      defaultValue: undefined,
    };
  };
  const signature: Signature = {
    name: cmdlet.implementation ?? cmdlet.name,
    command: cmdlet.name,
    strict: true,
    isCmdlet: true,
    formals: Object.entries(cmdlet.parameters).map(formal),
  };
  signatures.set(cmdlet, signature);
  return signature;
}

/** Arguments of a command line, which are all texts: `-Name`, `-Name:value`, or a value. */
function fileArguments(args: readonly string[]): Argument[] {
  const position = { file: { path: "<command line>", text: "" }, line: 1, start: 0, end: 0 };
  return args.map((arg) => {
    const [, name, value] = /^-([A-Za-z_]\w*)(?::(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) {
      return { value: arg, position };
    }
    if (value === undefined) {
      return { name, position };
    }
    return { name, value: /^\$(true|false)$/i.test(value) ? /true/i.test(value) : value, position };
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
      ? terminating(
          raised("System.Management.Automation.ParseException", error.message, {
            id: "ParseException",
          }),
        )
      : error;
  }
}

/** A typed variable takes null for a truth value as it is, and has an error of its own. */
function convertForVariable(value: Value, type: NetType): Value {
  if (isNull(value) && type === is.bool) {
    return null;
  }
  const converted = tryConvert(value, type);
  if (converted === undefined) {
    const message = `Cannot convert value "${toText(value)}" to type "${type.name}".`;
    throw raised("System.Management.Automation.ArgumentTransformationMetadataException", message, {
      id: "RuntimeException",
    });
  }
  return converted;
}

function attribute(list: readonly Syntax.Attribute[], wanted: string): Syntax.Attribute[] {
  return list.filter((each) => each.name.toLowerCase() === wanted);
}

/** Whether a function takes parameters as cmdlets do. */
function isAdvanced(body: Syntax.ScriptBody): boolean {
  return (
    attribute(body.attributes, "cmdletbinding").length > 0 ||
    (body.parameters ?? []).some(
      (parameter) => attribute(parameter.attributes, "parameter").length > 0,
    )
  );
}

function terminating(error: Raised): Raised {
  error.terminating = true;
  error.located = true;
  return error;
}

async function emitAll(value: Value, emit: Emit): Promise<void> {
  for (const item of toItems(value)) {
    await emit(item);
  }
}

function* chars(text: string): Iterable<Value> {
  for (let at = 0; at < text.length; at++) {
    yield is.toChar(text.charAt(at));
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"), 0)) || "/";
}

/** A program's output in lines. A last line end makes no further line. */
export function lines(text: string): string[] {
  if (text === "") {
    return [];
  }
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}
