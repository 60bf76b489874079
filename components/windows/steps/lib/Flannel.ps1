# The Windows service flanneld, the program that it starts, and the pods' network in HNS that it makes.

. (Join-Path $PSScriptRoot 'Services.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$FlanneldLogPath = 'C:\var\log\flanneld\flanneld.log'

# With kubelet's own kubeconfig: its certificate renews itself. Where net-conf.json and subnet.env are is flanneld's
# default and that of its CNI plugin: /etc/kube-flannel and /run/flannel, on drive C:. By $NodeIp flanneld finds its
# adapter.
function Get-FlanneldCommandLine {
    param([string] $NodeIp)
    @(
        'C:\k\flanneld-service.exe'
        'C:\k\kube-log-runner.exe', '--log-file=C:/var/log/flanneld/flanneld.log'
        '--log-file-size=50Mi', '--log-file-age=168h'
        'C:\k\flanneld.exe', '--kube-subnet-mgr', '--ip-masq'
        '--kubeconfig-file=C:/etc/kubernetes/kubelet.conf'
        '--net-config-path=C:/etc/kube-flannel/net-conf.json'
        '--subnet-file=C:/run/flannel/subnet.env'
        "--iface=$NodeIp"
    ) -join ' '
}

# Automatic is the mark of a node whose network it has made: it holds even when the step that stopped flanneld was
# killed before this. Returns whether it did not run.
function Start-UsedFlanneld {
    Start-AutomaticService -Name 'flanneld' -LogPath $FlanneldLogPath
}

# No network is made beforehand, as older guides do: flanneld names the adapter to HNS that has the node's address, and
# with a switch on it that is a virtual one, which HNS refuses (Azure/azure-container-networking#813). From here on the
# service starts with Windows: the network is one that does not outlive a boot (vxlan's EnableNonPersistent).
function Start-FlannelNetwork {
    param([string] $Name, [int] $TimeoutSeconds = 180)
    if (-not (Test-Service -Name 'flanneld')) {
        throw 'There is no service flanneld: run Install-Flannel first.'
    }
    Edit-Service -Name 'flanneld' -Setting @{ StartMode = 'Automatic' }
    # Under another name: where the block runs, $Name is the service's.
    $network = $Name
    Start-ServiceInTime -Name 'flanneld' -TimeoutSeconds $TimeoutSeconds -LogPath $FlanneldLogPath `
        -Ready { Test-ExternalNetwork -Name $network }
    if ($Name -eq 'cbr0') {
        Save-BridgeAddress -Name $Name
    }
}

# Keeps pods from the address that is their gateway on a bridge: the second of the node's range, which flanneld gives
# the machine itself (hostgw_windows.go) and win-bridge takes for granted, and host-local would hand out as the first.
# host-local's records: a file for each address in use, by its name, and whose it is in it.
function Save-BridgeAddress {
    param([string] $Name, [string] $RecordFolder = 'C:\var\lib\cni\networks')
    $network = Get-HnsNetwork -ErrorAction Stop | Where-Object { $_.Name -eq $Name } |
        Select-Object -First 1
    $bytes = ([Net.IPAddress](([string]$network.Subnets[0].AddressPrefix -split '/')[0])).GetAddressBytes()
    $bytes[3] += 2
    $folder = Join-Path $RecordFolder $Name
    $record = Join-Path $folder ($bytes -join '.')
    if (-not (Test-Path -LiteralPath $record)) {
        Write-WholeText -Path $record -Text "$($Name)_ep`r`neth0"
    }
}

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
    if ($mark -ceq $checksum -and (Test-Path -LiteralPath $FlanneldHostPath)) {
        return 'installed'
    }
    $compiled = "$FlanneldHostPath.new.exe"
    if (Test-Path -LiteralPath $compiled) {
        Remove-Item -LiteralPath $compiled -Force
    }
    Add-Type -TypeDefinition $FlanneldHostSource -ReferencedAssemblies 'System.ServiceProcess' `
        -OutputAssembly $compiled -OutputType ConsoleApplication
    Stop-ServiceIfPresent -Name 'flanneld'
    Move-FileIntoPlace -Source $compiled -Target $FlanneldHostPath
    # The mark is on the disk when it is written, and says that the program is.
    Write-DriveCache
    Write-WholeText -Path $FlanneldHostMarkPath -Text $checksum
    'compiled'
}
