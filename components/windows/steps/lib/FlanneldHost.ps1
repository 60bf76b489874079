# The program the service flanneld starts: a native service around one that is none.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$FlanneldHostPath = 'C:\k\flanneld-service.exe'
$FlanneldHostMarkPath = 'C:\k\flanneld-service.sha256'

# flanneld.exe never speaks to the service manager (its main.go), nor does kube-log-runner.exe: started by that, either
# is given up after 30 s. This one speaks to it, runs what its command line names, and ends when that ends, without a
# word: Windows then starts the service again. All it has started dies with it, by a job object.
$FlanneldHostSource = @'
using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.ServiceProcess;

public class FlanneldService : ServiceBase
{
    [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
    static extern IntPtr CreateJobObject(IntPtr attributes, string name);
    [DllImport("kernel32.dll", SetLastError = true)]
    static extern bool SetInformationJobObject(IntPtr job, int kind, byte[] information, int length);
    [DllImport("kernel32.dll", SetLastError = true)]
    static extern bool AssignProcessToJobObject(IntPtr job, IntPtr process);

    readonly string[] command;
    Process child;
    volatile bool stopping;

    FlanneldService(string[] command)
    {
        ServiceName = "flanneld";
        this.command = command;
    }

    static void Main(string[] command)
    {
        // JOBOBJECT_EXTENDED_LIMIT_INFORMATION of a 64 bit process; LimitFlags are at 16: KILL_ON_JOB_CLOSE.
        byte[] limits = new byte[144];
        BitConverter.GetBytes(0x2000).CopyTo(limits, 16);
        IntPtr job = CreateJobObject(IntPtr.Zero, null);
        if (job == IntPtr.Zero || !SetInformationJobObject(job, 9, limits, limits.Length) ||
            !AssignProcessToJobObject(job, Process.GetCurrentProcess().Handle))
        {
            Environment.Exit(Marshal.GetLastWin32Error());
        }
        Run(new FlanneldService(command));
    }

    protected override void OnStart(string[] args)
    {
        // No argument holds a space: Install-Flannel takes none that does.
        string rest = string.Join(" ", command, 1, command.Length - 1);
        child = new Process();
        child.StartInfo = new ProcessStartInfo(command[0], rest) { UseShellExecute = false, CreateNoWindow = true };
        child.EnableRaisingEvents = true;
        child.Exited += delegate
        {
            if (!stopping)
            {
                Environment.Exit(child.ExitCode == 0 ? 1 : child.ExitCode);
            }
        };
        child.Start();
    }

    protected override void OnStop()
    {
        stopping = true;
    }
}
'@

# By the compiler that every Windows Server has with .NET Framework. Two compilations of one source are never the same
# file, so it is the source that is remembered. Returns installed or compiled.
function Install-FlanneldHost {
    $bytes = [Text.Encoding]::UTF8.GetBytes($FlanneldHostSource.Replace("`r", ''))
    $hasher = [Security.Cryptography.SHA256]::Create()
    $checksum = [Convert]::ToBase64String($hasher.ComputeHash($bytes))
    $mark = (Read-WholeText -Path $FlanneldHostMarkPath).Trim()
    if ($mark -ceq $checksum -and (Test-Path -LiteralPath $FlanneldHostPath)) { return 'installed' }
    $compiled = "$FlanneldHostPath.new.exe"
    if (Test-Path -LiteralPath $compiled) { Remove-Item -LiteralPath $compiled -Force }
    Add-Type -TypeDefinition $FlanneldHostSource -ReferencedAssemblies 'System.ServiceProcess' `
        -OutputAssembly $compiled -OutputType ConsoleApplication
    Stop-ServiceIfPresent -Name 'flanneld'
    Move-FileIntoPlace -Source $compiled -Target $FlanneldHostPath
    # The mark is on the disk when it is written, and says that the program is.
    Write-DriveCache
    Write-WholeText -Path $FlanneldHostMarkPath -Text $checksum
    'compiled'
}
