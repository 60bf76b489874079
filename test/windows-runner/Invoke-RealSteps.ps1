<#
.SYNOPSIS
Runs the real steps up to the join on this machine, twice, then the reset, twice; the machine must be as before.

.DESCRIPTION
For a throw-away Windows Server with the feature Containers: each step in a process of its own, as over SSH. Fails when
a step fails, when its second run changes anything, or when the reset leaves anything. Left out are Add-ExternalNetwork
and Confirm-ExternalNetwork, which would cut the connection to a hosted runner for good where its address is not brought
back, and Install-Flannel, whose programs only a stack with Flannel fetches; what it compiles test/pester compiles too.

.PARAMETER Media
Folder with the programs as `kindows fetch` leaves them in the cache: <entry>\<sha256>\<file name>.

.PARAMETER ContainerdVersion
Version of containerd among them.

.PARAMETER KubernetesVersion
Version of Kubernetes among them.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $Media,

    [Parameter(Mandatory = $true)]
    [string] $ContainerdVersion,

    [Parameter(Mandatory = $true)]
    [string] $KubernetesVersion
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$steps = [IO.Path]::GetFullPath("$PSScriptRoot\..\..\components\windows\steps")

function Invoke-OneStep {
    param([string] $Name, [System.Collections.IDictionary] $Values)

    $words = @('-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', "$steps\$Name.ps1")
    foreach ($key in $Values.Keys) {
        # Windows PowerShell drops empty arguments from command lines.
        $value = [string]$Values[$key]
        $words += "-$key", $(if ($value -eq '') { '""' } else { $value })
    }
    $output = @(& "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" @words)
    $exitCode = $LASTEXITCODE
    $last = [string]($output | Select-Object -Last 1)
    [Console]::Out.WriteLine("$Name -> $exitCode $last")
    if ($exitCode -ne 0) {
        throw "$Name ended with exit code $exitCode"
    }
    ConvertFrom-Json -InputObject $last
}

function Find-Medium {
    param([string] $FileName)

    $found = @(Get-ChildItem -LiteralPath $Media -Recurse -File | Where-Object { $_.Name -like $FileName })
    if ($found.Count -ne 1) {
        throw "$($found.Count) files are called $FileName below $Media, expected was one"
    }
    $sha256 = $found[0].Directory.Name
    $folder = "C:\kindows\media\$sha256"
    $null = New-Item -Path $folder -ItemType Directory -Force
    Copy-Item -LiteralPath $found[0].FullName -Destination $folder -Force
    @{ Path = "$folder\$($found[0].Name)"; Sha256 = $sha256 }
}

$containerd = Find-Medium "containerd-$ContainerdVersion-windows-amd64.tar.gz"
$crictl = Find-Medium 'crictl-v*-windows-amd64.tar.gz'
$kubelet = Find-Medium 'kubelet.exe'
$kubeadm = Find-Medium 'kubeadm.exe'
$logRunner = Find-Medium 'kube-log-runner.exe'

# Test-WindowsHost requires that a node's sshd starts with Windows; a runner may not have one.
if ($null -ne (Get-Service -Name 'sshd' -ErrorAction SilentlyContinue)) {
    Set-Service -Name 'sshd' -StartupType Automatic
}

# The neighbour that every machine has.
$gateway = @(Get-NetRoute -DestinationPrefix '0.0.0.0/0')[0].NextHop

$plan = [ordered]@{
    'Test-WindowsHost'         = [ordered]@{
        ComputerName = [Net.Dns]::GetHostName(); MinimumBuild = 20348; MinimumRevision = 2762
        MinimumFreeDiskGiB = 5; MinimumMemoryMiB = 2048; PodNetwork = 'none'
    }
    'Enable-ContainersFeature' = [ordered]@{ RebootDelaySeconds = 600 }
    'Confirm-Reboot'           = [ordered]@{}
    'Set-MachineProxy'         = [ordered]@{
        HttpProxy = ''; HttpsProxy = 'http://proxy.invalid:3128'; NoProxy = 'localhost,.svc'
    }
    'Install-Containerd'       = [ordered]@{
        Version = $ContainerdVersion; ArchivePath = $containerd.Path; ArchiveSha256 = $containerd.Sha256
        PauseImage = 'registry.k8s.io/pause:3.10.2'
        CniBinDirectory = 'C:/opt/cni/bin'; CniConfDirectory = 'C:/etc/cni/net.d'
        RegistryMirrors = 'docker.io=https://mirror.invalid'; DefenderExclusions = 1
        CrictlPath = $crictl.Path; CrictlSha256 = $crictl.Sha256
    }
    'Add-ContainerImage'       = [ordered]@{
        Images = 'registry.k8s.io/pause:3.10.2'; Proxy = ''; TimeoutSeconds = 300
    }
    'Install-Kubernetes'       = [ordered]@{
        Version = $KubernetesVersion
        KubeletPath = $kubelet.Path; KubeletSha256 = $kubelet.Sha256
        KubeadmPath = $kubeadm.Path; KubeadmSha256 = $kubeadm.Sha256
        KubeLogRunnerPath = $logRunner.Path; KubeLogRunnerSha256 = $logRunner.Sha256
        DefenderExclusions = 1; AutomaticUpdates = 0; TimeZone = (Get-TimeZone).Id
    }
    'Set-HostsEntry'           = [ordered]@{ Entry = '192.0.2.1=kindows-test-control-plane'; DnsServers = '8.8.8.8' }
    'Set-ClusterRoute'         = [ordered]@{ Route = "198.51.100.0/24=$gateway" }
    'Export-NodeLog'           = [ordered]@{ TailKiB = 64 }
}

$before = @(& "$PSScriptRoot\Get-MachineState.ps1")
foreach ($run in 1, 2) {
    [Console]::Out.WriteLine("run $run")
    foreach ($name in $plan.Keys) {
        $result = Invoke-OneStep $name $plan[$name]
        if ($result.rebootRequired) {
            throw "$name wants a reboot, which this machine can't have: use one with the feature Containers"
        }
        if ($run -eq 2 -and $result.changed) {
            throw "$name has changed something in its second run"
        }
    }
}
# By the configuration beside it alone: it asks the containerd that the steps have started.
& "$env:ProgramFiles\containerd\crictl.exe" version
if ($LASTEXITCODE -ne 0) {
    throw "crictl.exe ended with exit code $LASTEXITCODE"
}
foreach ($run in 1, 2) {
    $result = Invoke-OneStep 'Reset-Node' ([ordered]@{ TimeoutSeconds = 300 })
    if ($run -eq 2 -and $result.changed) {
        throw 'Reset-Node has changed something in its second run'
    }
}

$after = @(& "$PSScriptRoot\Get-MachineState.ps1")
[Console]::Out.WriteLine("the machine after the reset:`n$($after -join "`n")")
$left = @(Compare-Object -ReferenceObject $before -DifferenceObject $after)
if ($left.Count -gt 0) {
    $left | ForEach-Object { [Console]::Out.WriteLine("$($_.SideIndicator) $($_.InputObject)") }
    throw 'the machine is not what it was before'
}
[Console]::Out.WriteLine('The machine is what it was before.')
