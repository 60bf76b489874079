# Programs that a user has put in place of installed ones. The installed one is kept beside it, e.g. as
# kubelet.exe.before, which is empty if there was none.

. (Join-Path $PSScriptRoot 'InstalledProgram.ps1')
. (Join-Path $PSScriptRoot 'Services.ps1')
. (Join-Path $PSScriptRoot 'KubeletService.ps1')
. (Join-Path $PSScriptRoot 'KubeProxy.ps1')

# Runs a program for its version before it is put into its place, kubelet with the arguments of its service, which it
# checks first. Returns the version; empty for a program without one, as CNI plugins are.
function Get-OwnVersion {
    param([string] $File, [string] $Path, [string] $Releases)
    if ($Releases -eq '') { return '' }
    $name = Split-Path -Path $Path -Leaf
    $arguments = @('--version')
    if ($name -eq 'kubeadm.exe') { $arguments = @('version', '--output', 'short') }
    if ($name -eq 'kubelet.exe') {
        $line = (Get-CimInstance -ClassName Win32_Service -Filter "Name='kubelet'").PathName
        $given = ($line -split ' C:\\k\\kubelet\.exe ', 2)[1] -split ' '
        $arguments = @($given | Where-Object { $_ -ne '--windows-service' }) + $arguments
    }
    Assert-ProgramVersion -Path $File -ArgumentList $arguments -Version $Releases `
        -Remedy ('Build it from a release that fits, with its version linked in, as the makefiles of Kubernetes and ' +
            'containerd do.')
}

# kube-proxy runs in a container, which the kubelet starts again when it has ended. It is ended after the exchange.
function Stop-ProgramService {
    param([string] $Path)
    $name = Split-Path -Path $Path -Leaf
    if ($name -eq 'kubelet.exe') { Stop-ServiceIfPresent -Name 'kubelet' }
    if ($name -eq 'containerd.exe') { Stop-ServiceIfPresent -Name 'containerd' }
}

# Starts what Stop-ProgramService has stopped, kubelet with containerd, even if an earlier run was killed in between.
# Returns when that was, by this machine's clock: what kubelet reports later comes from the new programs.
function Start-ProgramService {
    param([string[]] $Path)
    $since = [DateTime]::UtcNow.ToString('yyyy-MM-ddTHH:mm:ssZ')
    if (@($Path | Where-Object { $_ -like '*\kube-proxy.exe' }).Count -gt 0) {
        Stop-KubeProxy
    }
    if (Test-Service -Name 'containerd') { Start-Containerd }
    $null = Start-JoinedKubelet
    $since
}

function Install-OwnProgram {
    param([string] $File, [string] $Path)
    $kept = "$Path.before"
    $source = @($File)
    $target = @($Path)
    if (-not (Test-Path -LiteralPath $kept)) {
        if (Test-Path -LiteralPath $Path) {
            $source = @($Path, $File)
            $target = @($kept, $Path)
        }
        else { Write-WholeText -Path $kept -Text '' }
    }
    Stop-ProgramService -Path $Path
    Move-FileIntoPlace -Source $source -Target $target
}

# Returns the programs that were replaced, by their paths.
function Get-ReplacedProgram {
    foreach ($folder in 'C:\k', "$env:ProgramFiles\containerd", 'C:\opt\cni\bin') {
        if (Test-Path -LiteralPath $folder) {
            Get-ChildItem -LiteralPath $folder -Filter '*.before' -File |
                ForEach-Object { $_.FullName -replace '\.before$', '' }
        }
    }
}

function Restore-Program {
    param([string] $Path)
    $kept = "$Path.before"
    Stop-ProgramService -Path $Path
    if ((Get-Item -LiteralPath $kept -Force).Length -gt 0) {
        Move-FileIntoPlace -Source $kept -Target $Path
        return
    }
    # The empty file goes last: without it nothing would show that the program is not ours.
    if (Test-Path -LiteralPath $Path) { Move-FileIntoPlace -Source $Path -Target "$Path.replaced" }
    Remove-Item -LiteralPath $kept -Force
}
