// The machine's part of a real PowerShell: what a script asks of the modelled machine goes to Node.js over a loopback
// connection, one JSON object a line, and comes back as objects and errors.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Management.Automation;
using System.Management.Automation.Internal;
using System.Management.Automation.Language;
using System.Net.Sockets;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.Win32;

namespace Rehearsed
{
    /// <summary>An object of the model: Node.js has it, by its number.</summary>
    public class ModelObject
    {
        public readonly int Handle;
        protected ModelObject(int handle) { Handle = handle; }
        protected ModelObject(string type, object[] given) { Handle = Model.New(type, given); }
        protected object Call(string member, params object[] given) { return Model.Use("method", null, this, member, given); }
        protected object Read(string member) { return Model.Use("get", null, this, member, new object[0]); }
        public override string ToString() { return Model.TextOf(this); }
    }

    public abstract class ModelCmdlet : PSCmdlet
    {
        protected abstract string Of { get; }

        protected override void ProcessRecord()
        {
            var values = new JsonObject();
            object preference = GetVariableValue("ErrorActionPreference");
            foreach (KeyValuePair<string, object> each in MyInvocation.BoundParameters)
            {
                if (each.Key == "ErrorAction") preference = each.Value;
                else if (!CommonParameters.Contains(each.Key)) values[each.Key] = Model.Encode(each.Value);
            }
            JsonObject answer = Model.Ask(new JsonObject
            {
                ["ask"] = "cmdlet", ["name"] = Of, ["values"] = values, ["errorAction"] = Convert.ToString(preference),
            });
            foreach (JsonNode each in answer["events"].AsArray())
            {
                if (each["error"] != null) WriteError(RecordOf(each["error"]));
                else WriteObject(Model.Decode(each["output"]), false);
            }
            if (answer["error"] != null) ThrowTerminatingError(RecordOf(answer["error"]));
        }

        private static ErrorRecord RecordOf(JsonNode error)
        {
            return new ErrorRecord(Model.ExceptionOf(error), (string)error["id"], ErrorCategory.NotSpecified, null);
        }
    }

    public static class Model
    {
        private static StreamReader reader;
        private static StreamWriter writer;
        private static string registrySeen;
        private static string environmentSeen;
        private static readonly Dictionary<string, FileStream> held = new Dictionary<string, FileStream>();

        public static void Connect(int port)
        {
            var client = new System.Net.Sockets.TcpClient("127.0.0.1", port) { NoDelay = true };
            var encoding = new UTF8Encoding(false);
            reader = new StreamReader(client.GetStream(), encoding);
            writer = new StreamWriter(client.GetStream(), encoding);
        }

        /// <summary>Tells the machine something that needs no answer, e.g. a line of output.</summary>
        public static void Tell(JsonObject what)
        {
            writer.Write(what.ToJsonString());
            writer.Write('\n');
            writer.Flush();
        }

        public static void Tell(string what, object value) { Tell(new JsonObject { ["tell"] = what, ["value"] = Encode(value) }); }

        private static JsonObject Hear()
        {
            string line = reader.ReadLine();
            if (line == null) System.Diagnostics.Process.GetCurrentProcess().Kill();
            return JsonNode.Parse(line).AsObject();
        }

        /// <summary>What to run next.</summary>
        public static Hashtable Next()
        {
            JsonObject run = Hear();
            Align(run);
            var settings = (Hashtable)Decode(run["run"]);
            SetEnvironment((Hashtable)settings["Environment"]);
            environmentSeen = EnvironmentNow().ToJsonString();
            return settings;
        }

        /// <summary>Asks the machine, and takes over what it has changed.</summary>
        public static JsonObject Ask(JsonObject what)
        {
            string now = Dump();
            if (now != registrySeen)
            {
                what["registry"] = JsonNode.Parse(now);
                registrySeen = now;
            }
            JsonObject environment = EnvironmentNow();
            string variables = environment.ToJsonString();
            if (variables != environmentSeen) what["environment"] = environment;
            environmentSeen = variables;
            Tell(what);
            JsonObject answer = Hear();
            Align(answer);
            return answer;
        }

        public static bool IsPipe(string name)
        {
            return (bool)Ask(new JsonObject { ["ask"] = "pipe", ["member"] = name })["value"];
        }

        public static bool IsRunning(string path)
        {
            return (bool)Ask(new JsonObject { ["ask"] = "running", ["member"] = path })["value"];
        }

        public static void Close(string path) { Ask(new JsonObject { ["ask"] = "close", ["member"] = path }); }

        public static void Ended(int code)
        {
            Ask(new JsonObject { ["ask"] = "ended", ["code"] = code });
            foreach (FileStream each in held.Values) each.Dispose();
            held.Clear();
        }

        private static void SetEnvironment(Hashtable wanted)
        {
            foreach (string name in System.Environment.GetEnvironmentVariables().Keys)
                if (!wanted.ContainsKey(name)) System.Environment.SetEnvironmentVariable(name, null);
            foreach (DictionaryEntry each in wanted) System.Environment.SetEnvironmentVariable((string)each.Key, (string)each.Value);
        }

        private static JsonObject EnvironmentNow()
        {
            var all = new JsonObject();
            foreach (DictionaryEntry each in System.Environment.GetEnvironmentVariables()) all[(string)each.Key] = (string)each.Value;
            return all;
        }

        private static void Align(JsonObject answer)
        {
            if (answer["registry"] != null) Restore(answer["registry"].AsObject());
            if (answer["held"] != null) Hold(answer["held"].AsObject());
        }

        /// <summary>Opens the files that other programs of the machine have open.</summary>
        private static void Hold(JsonObject wanted)
        {
            foreach (string path in held.Keys.Where(each => !wanted.ContainsKey(each)).ToList())
            {
                held[path].Dispose();
                held.Remove(path);
            }
            foreach (KeyValuePair<string, JsonNode> each in wanted)
            {
                if (held.ContainsKey(each.Key) || !File.Exists(each.Key)) continue;
                held[each.Key] = new FileStream(each.Key, FileMode.Open, FileAccess.Read, (FileShare)(int)each.Value);
            }
        }

        // The registry: a branch of the current user's, which the drive HKLM: shows.

        private static readonly RegistryKey root = Registry.CurrentUser.CreateSubKey("kindows");
        private static readonly System.Threading.ManualResetEvent changed = new System.Threading.ManualResetEvent(true);

        [System.Runtime.InteropServices.DllImport("advapi32.dll")]
        private static extern int RegNotifyChangeKeyValue(Microsoft.Win32.SafeHandles.SafeRegistryHandle key, bool below, int what,
            Microsoft.Win32.SafeHandles.SafeWaitHandle signal, bool isAsynchronous);

        /// <summary>The whole branch; read again only where something has changed in it: most questions change nothing.</summary>
        private static string Dump()
        {
            if (registrySeen != null && !changed.WaitOne(0)) return registrySeen;
            changed.Reset();
            const int nameOrValue = 1 | 4;
            if (RegNotifyChangeKeyValue(root.Handle, true, nameOrValue, changed.SafeWaitHandle, true) != 0) changed.Set();
            var all = new JsonObject();
            Dump(root, "", all);
            return all.ToJsonString();
        }

        private static void Dump(RegistryKey key, string path, JsonObject into)
        {
            foreach (string name in key.GetSubKeyNames())
            {
                var values = new JsonObject();
                into[path + name] = values;
                using (RegistryKey below = key.OpenSubKey(name))
                {
                    foreach (string value in below.GetValueNames()) values[value] = ValueOf(below, value);
                    Dump(below, path + name + "\\", into);
                }
            }
        }

        private static JsonObject ValueOf(RegistryKey key, string name)
        {
            object data = key.GetValue(name, null, RegistryValueOptions.DoNotExpandEnvironmentNames);
            JsonNode node = data is string[] list ? new JsonArray(list.Select(each => (JsonNode)each).ToArray())
                : data is int number ? (JsonNode)number
                : data.ToString();
            return new JsonObject { ["kind"] = key.GetValueKind(name).ToString(), ["data"] = node };
        }

        private static void Restore(JsonObject wanted)
        {
            var before = new JsonObject();
            Dump(root, "", before);
            var names = new HashSet<string>(wanted.Select(each => each.Key), StringComparer.OrdinalIgnoreCase);
            foreach (KeyValuePair<string, JsonNode> each in before)
            {
                if (!names.Contains(each.Key)) root.DeleteSubKeyTree(each.Key, false);
            }
            foreach (KeyValuePair<string, JsonNode> each in wanted)
            {
                string was = before[each.Key]?.ToJsonString();
                if (was == each.Value.ToJsonString()) continue;
                using (RegistryKey key = root.CreateSubKey(each.Key))
                {
                    JsonObject values = each.Value.AsObject();
                    foreach (string name in key.GetValueNames()) if (!values.ContainsKey(name)) key.DeleteValue(name);
                    foreach (KeyValuePair<string, JsonNode> value in values)
                    {
                        var kind = (RegistryValueKind)Enum.Parse(typeof(RegistryValueKind), (string)value.Value["kind"]);
                        JsonNode data = value.Value["data"];
                        object written = kind == RegistryValueKind.MultiString ? data.AsArray().Select(item => (string)item).ToArray()
                            : kind == RegistryValueKind.DWord ? (object)(int)data
                            : (string)data;
                        key.SetValue(value.Key, written, kind);
                    }
                }
            }
            registrySeen = Dump();
        }

        // Members of the model's types

        public static int New(string type, object[] given)
        {
            return ((ModelObject)Use("new", type, null, "", given)).Handle;
        }

        public static object Static(string type, string member, params object[] given)
        {
            return Use("static", type, null, member, given);
        }

        public static object StaticProperty(string type, string member)
        {
            return Use("getStatic", type, null, member, new object[0]);
        }

        public static object Use(string how, string type, object self, string member, object[] given)
        {
            object ignored;
            return Use(how, type, self, member, given, out ignored);
        }

        public static object Use(string how, string type, object self, string member, object[] given, out object reference)
        {
            JsonObject answer = Ask(new JsonObject
            {
                ["ask"] = how, ["type"] = type, ["self"] = Encode(self), ["member"] = member,
                ["arguments"] = new JsonArray(given.Select(Encode).ToArray()),
            });
            if (answer["error"] != null) throw ExceptionOf(answer["error"]);
            reference = Decode(answer["reference"]);
            return Decode(answer["value"]);
        }

        public static string TextOf(ModelObject value)
        {
            return Convert.ToString(Use("text", null, value, "", new object[0]));
        }

        // Values

        public static JsonNode Encode(object given)
        {
            object value = given is PSObject wrapped ? wrapped.BaseObject : given;
            if (value == null || value == AutomationNull.Value) return null;
            if (value is string || value is char) return JsonValue.Create(value.ToString());
            if (value is bool truth) return truth;
            if (value is SwitchParameter flag) return (bool)flag;
            if (value is int number) return number;
            if (value is long || value is uint || value is ulong || value is byte || value is double || value is short || value is decimal || value is float)
                return new JsonObject { ["number"] = Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture), ["of"] = value.GetType().FullName };
            if (value is Enum) return new JsonObject { ["named"] = value.ToString(), ["of"] = value.GetType().FullName };
            if (value is System.DateTime moment)
                return new JsonObject { ["moment"] = Convert.ToString(moment.Ticks - System.DateTime.UnixEpoch.Ticks), ["kind"] = moment.Kind.ToString() };
            if (value is TimeSpan span) return new JsonObject { ["span"] = span.TotalMilliseconds };
            if (value is ModelObject known) return new JsonObject { ["handle"] = known.Handle };
            if (value is Type type) return new JsonObject { ["type"] = type.FullName };
            if (value is System.Diagnostics.ProcessStartInfo start)
                return Properties(start.GetType().FullName, typeof(System.Diagnostics.ProcessStartInfo).GetProperties()
                    .Where(each => StartInfo.Contains(each.Name)).Select(each => KeyValuePair.Create(each.Name, each.GetValue(start))));
            if (value is IDictionary table)
                return new JsonObject { ["table"] = new JsonArray(table.Keys.Cast<object>().Select(each => (JsonNode)new JsonArray(Encode(each), Encode(table[each]))).ToArray()) };
            if (value is IEnumerable list && !(value is System.Net.IPAddress))
                return new JsonObject { ["list"] = new JsonArray(list.Cast<object>().Select(Encode).ToArray()), ["of"] = ElementOf(value) };
            if (value is PSCustomObject)
            {
                var self = (PSObject)given;
                return Properties(self.TypeNames.FirstOrDefault(), self.Properties.Select(each => KeyValuePair.Create(each.Name, each.Value)));
            }
            if (value is ScriptBlock) throw new NotSupportedException("a script block for the modelled machine");
            return new JsonObject { ["text"] = value.ToString(), ["of"] = value.GetType().FullName };
        }

        private static readonly string[] StartInfo = { "FileName", "Arguments", "UseShellExecute", "RedirectStandardInput",
            "RedirectStandardOutput", "RedirectStandardError", "WorkingDirectory", "CreateNoWindow" };

        private static string ElementOf(object value)
        {
            return value.GetType().IsArray ? value.GetType().GetElementType().FullName : "System.Object";
        }

        private static JsonObject Properties(string of, IEnumerable<KeyValuePair<string, object>> all)
        {
            var pairs = all.Select(each => (JsonNode)new JsonArray(each.Key, Encode(each.Value))).ToArray();
            return new JsonObject { ["properties"] = new JsonArray(pairs), ["of"] = of };
        }

        public static object Decode(JsonNode node)
        {
            if (node == null) return null;
            if (node is JsonValue plain)
            {
                JsonElement element = JsonSerializer.SerializeToElement(plain);
                switch (element.ValueKind)
                {
                    case JsonValueKind.String: return element.GetString();
                    case JsonValueKind.Number: return element.GetInt32();
                    default: return element.GetBoolean();
                }
            }
            if (node["nothing"] != null) return AutomationNull.Value;
            string of = (string)node["of"];
            if (node["number"] != null) return Convert.ChangeType((string)node["number"], Type.GetType(of), System.Globalization.CultureInfo.InvariantCulture);
            if (node["named"] != null) return Enum.Parse(TypeOf(of), (string)node["named"]);
            if (node["moment"] != null)
            {
                var kind = (DateTimeKind)Enum.Parse(typeof(DateTimeKind), (string)node["kind"]);
                return new System.DateTime(System.DateTime.UnixEpoch.Ticks + long.Parse((string)node["moment"]), kind);
            }
            if (node["span"] != null) return TimeSpan.FromMilliseconds((double)node["span"]);
            if (node["type"] != null) return TypeOf((string)node["type"]);
            if (node["handle"] != null)
                return Activator.CreateInstance(Generated.Types[of], BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Instance, null, new object[] { new Existing((int)node["handle"]) }, null);
            if (node["table"] != null)
            {
                var table = new Hashtable(StringComparer.CurrentCultureIgnoreCase);
                foreach (JsonNode each in node["table"].AsArray()) table[Decode(each[0])] = Decode(each[1]);
                return table;
            }
            if (node["list"] != null)
            {
                object[] items = node["list"].AsArray().Select(Decode).ToArray();
                Array made = Array.CreateInstance(TypeOf(of) ?? typeof(object), items.Length);
                for (int at = 0; at < items.Length; at++) made.SetValue(items[at], at);
                return made;
            }
            if (node["properties"] != null)
            {
                var made = new PSObject();
                foreach (JsonNode each in node["properties"].AsArray()) made.Properties.Add(new PSNoteProperty((string)each[0], Decode(each[1])));
                foreach (JsonNode each in node["names"].AsArray().Reverse()) made.TypeNames.Insert(0, (string)each);
                return made;
            }
            return LanguagePrimitives.ConvertTo((string)node["text"], TypeOf(of), System.Globalization.CultureInfo.InvariantCulture);
        }

        private static Type TypeOf(string name)
        {
            Type found;
            if (Generated.Types.TryGetValue(name, out found)) return found;
            return LanguagePrimitives.TryConvertTo(name, out found) ? found : null;
        }

        public static Exception ExceptionOf(JsonNode error)
        {
            Type type = TypeOf((string)error["type"]);
            if (type == null) throw new InvalidOperationException("no type " + error["type"]);
            Exception inner = error["inner"] == null ? null : ExceptionOf(error["inner"]);
            string message = (string)error["message"];
            ConstructorInfo both = type.GetConstructor(new[] { typeof(string), typeof(Exception) });
            ConstructorInfo one = type.GetConstructor(new[] { typeof(string) });
            Exception made;
            if (both != null) made = (Exception)both.Invoke(new object[] { message, inner });
            else if (one != null) made = (Exception)one.Invoke(new object[] { message });
            else
            {
                made = (Exception)System.Runtime.CompilerServices.RuntimeHelpers.GetUninitializedObject(type);
                typeof(Exception).GetField("_message", BindingFlags.Instance | BindingFlags.NonPublic).SetValue(made, message);
            }
            made.HResult = (int)error["hresult"];
            return made;
        }
    }

    /// <summary>
    /// Statements that are run: a breakpoint that only counts, at the first place of each where PowerShell stops.
    /// </summary>
    public static class Statements
    {
        private sealed class Watched
        {
            public string Text;
            public List<KeyValuePair<int, LineBreakpoint>> Left = new List<KeyValuePair<int, LineBreakpoint>>();
        }

        private static readonly Dictionary<string, Watched> files = new Dictionary<string, Watched>(StringComparer.OrdinalIgnoreCase);
        private static readonly ScriptBlock onlyCount = ScriptBlock.Create("");

        public static void Watch(string path, Debugger debugger)
        {
            string text = File.ReadAllText(path);
            Watched file;
            if (files.TryGetValue(path, out file))
            {
                if (file.Text == text) return;
                foreach (KeyValuePair<int, LineBreakpoint> each in file.Left) debugger.RemoveBreakpoint(each.Value);
            }
            file = files[path] = new Watched { Text = text };
            Token[] tokens;
            ParseError[] errors;
            Ast tree = Parser.ParseFile(path, out tokens, out errors);
            foreach (Ast found in tree.FindAll(each => each is StatementBlockAst || each is NamedBlockAst, true))
            {
                foreach (StatementAst each in found is NamedBlockAst named ? named.Statements : ((StatementBlockAst)found).Statements)
                {
                    IScriptExtent stop = FirstStop(each);
                    if (stop == null) continue;
                    LineBreakpoint point = debugger.SetLineBreakpoint(path, stop.StartLineNumber, stop.StartColumnNumber, onlyCount);
                    file.Left.Add(KeyValuePair.Create(each.Extent.StartOffset, point));
                }
            }
        }

        private static IScriptExtent FirstStop(Ast statement)
        {
            if (statement is FunctionDefinitionAst) return null;
            if (statement is ReturnStatementAst returned && returned.Pipeline != null) return returned.Pipeline.Extent;
            if (statement is IfStatementAst branch) return branch.Clauses[0].Item1.Extent;
            if (statement is TryStatementAst tried) return tried.Body.Statements.Select(FirstStop).FirstOrDefault();
            if (statement is DoWhileStatementAst || statement is DoUntilStatementAst)
                return ((LoopStatementAst)statement).Body.Statements.Select(FirstStop).FirstOrDefault();
            if (statement is ForStatementAst counted) return counted.Initializer.Extent;
            if (statement is LabeledStatementAst loop) return loop.Condition.Extent;
            return statement.Extent;
        }

        /// <summary>Tells of each file where the statements begin that have been run since.</summary>
        public static void TellRun(Debugger debugger)
        {
            foreach (KeyValuePair<string, Watched> file in files)
            {
                var run = file.Value.Left.Where(each => each.Value.HitCount > 0).ToList();
                if (run.Count == 0) continue;
                foreach (KeyValuePair<int, LineBreakpoint> each in run) debugger.RemoveBreakpoint(each.Value);
                file.Value.Left.RemoveAll(each => each.Value.HitCount > 0);
                Model.Tell(new JsonObject
                {
                    ["tell"] = "run", ["text"] = file.Value.Text,
                    ["starts"] = new JsonArray(run.Select(each => (JsonNode)each.Key).ToArray()),
                });
            }
        }
    }

    /// <summary>Tells the constructor of an object that Node.js has from those that scripts call.</summary>
    public struct Existing
    {
        public readonly int Handle;
        public Existing(int handle) { Handle = handle; }
    }

    // What .NET has and the machine must answer.

    public static class DateTime
    {
        public static System.DateTime UtcNow { get { return (System.DateTime)Model.StaticProperty("System.DateTime", "UtcNow"); } }
    }

    public class ModelWriter : StringWriter
    {
        private readonly string stream;
        public ModelWriter(string stream) { this.stream = stream; }
        public override void WriteLine(string text) { Model.Tell(stream, text + "\r\n"); }
        public override void WriteLine(object value) { WriteLine(Convert.ToString(value)); }
        public override void Write(string text) { Model.Tell(stream, text); }
    }

    public static class Console
    {
        public static readonly TextWriter Out = new ModelWriter("out");
        public static readonly TextWriter Error = new ModelWriter("error");
        public static TextReader In { get { return new StreamReader(OpenStandardInput()); } }
        public static Stream OpenStandardInput()
        {
            string text = (string)Model.Ask(new JsonObject { ["ask"] = "input" })["value"];
            return new MemoryStream(Convert.FromBase64String(text));
        }
    }

    // .NET Framework has these, .NET has them elsewhere.

    public static class Directory
    {
        public static void SetAccessControl(string path, System.Security.AccessControl.DirectorySecurity security)
        {
            FileSystemAclExtensions.SetAccessControl(new DirectoryInfo(path), security);
            Model.Close(path);
        }
    }

    public class FileStream_ : FileStream
    {
        public FileStream_(string path, FileMode mode, FileAccess access, FileShare share) : base(path, mode, access, share) { }
        public FileStream_(string path, FileMode mode, System.Security.AccessControl.FileSystemRights rights, FileShare share, int size, FileOptions options, System.Security.AccessControl.FileSecurity security)
            : base(FileSystemAclExtensions.Create(new FileInfo(path), mode, rights, share, size, options, security).SafeFileHandle, FileAccess.ReadWrite) { Model.Close(path); }
    }
}
