# The program that the service flanneld starts: a native Windows service that runs flanneld, which is not one itself.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$FlanneldHostPath = 'C:\k\flanneld-service.exe'
$FlanneldHostMarkPath = 'C:\k\flanneld-service.sha256'

# Neither flanneld.exe (its main.go) nor kube-log-runner.exe talks to the service manager, which would give up starting
# them after 30 s. This program does. It runs the command on its command line, and exits when that exits, without
# reporting a stop, so that Windows restarts the service. A job object ends its child processes with it.
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

# Uses the compiler of .NET Framework, which every Windows Server has. Records the source's checksum, because compiling
# the same source twice gives different files. Returns installed or compiled.
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
    # The mark is written last, so that it shows that the program is on the disk.
    Write-DriveCache
    Write-WholeText -Path $FlanneldHostMarkPath -Text $checksum
    'compiled'
}
