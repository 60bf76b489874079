<#
.SYNOPSIS
Makes a machine of a lab on this Hyper-V host, and starts it.

.DESCRIPTION
Makes a folder with a mark of the owner, a differencing disk on the image's VHDX, the identity disc, and a virtual
machine with a static MAC address. If the same instance exists already, it is only started. Another instance of the
same owner, and an incomplete one, is removed first. A machine or folder of this name that belongs to somebody else is
an error, and is not touched.

.PARAMETER MachineName
Name of the virtual machine and of its folder, e.g. kindows-fleet-win-1. Default: none, mandatory. Source: the lab's
and the node's name.

.PARAMETER Folder
Full path of the folder in which the machine's own folder is made. Default: none, mandatory. Source: settings,
hyperVHosts[].folder.

.PARAMETER Owner
Id of the machine's owner, 12 hexadecimal digits. Default: none, mandatory. Source: the key that logs in to the lab's
machines.

.PARAMETER Making
Id of the instance, 12 hexadecimal digits. It changes with the disk, size, switch or host key. Default: none,
mandatory. Source: components/machine/hyper-v/parameters.ts.

.PARAMETER BaseDisk
Full path of the VHDX that the machine starts from, which is not written to. Default: none, mandatory. Source: settings,
hyperVHosts[].image.

.PARAMETER Generation
1 (BIOS) or 2 (UEFI). Default: none, mandatory. Source: settings, hyperVHosts[].generation.

.PARAMETER SecureBoot
1: with Secure Boot; 0: without. For generation 2. Default: none, mandatory. Source: settings,
hyperVHosts[].secureBoot.

.PARAMETER SwitchName
Name of the virtual switch. Default: none, mandatory. Source: settings, hyperVHosts[].switch.

.PARAMETER MacAddress
Its MAC address, 12 hexadecimal digits. Default: none, mandatory. Source: the lab's and the node's name.

.PARAMETER Cpus
Virtual processors. Default: none, mandatory. Source: settings, nodes[].cpus.

.PARAMETER MemoryMiB
Memory in MiB. Default: none, mandatory. Source: settings, nodes[].memoryMiB.

.PARAMETER DiskGiB
Size of its disk in GiB. Default: none, mandatory. Source: settings, nodes[].diskGiB.

.INPUTS
Standard input: the identity disc, an ISO image, in base64.

.OUTPUTS
Facts of the result (lib/Step.ps1): id.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 13 SecretMissing; 16
DiskFull; 20 HostUnsuitable; 34 ServiceNotRunning; 35 FileInUse; 40 FeatureMissing.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[a-z0-9][-a-z0-9]*$')]
    [string] $MachineName,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[A-Za-z]:\\')]
    [string] $Folder,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9a-f]{12}$')]
    [string] $Owner,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9a-f]{12}$')]
    [string] $Making,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[A-Za-z]:\\')]
    [string] $BaseDisk,

    [Parameter(Mandatory = $true)]
    [ValidateRange(1, 2)]
    [int] $Generation,

    [Parameter(Mandatory = $true)]
    [ValidateRange(0, 1)]
    [int] $SecureBoot,

    [Parameter(Mandatory = $true)]
    [ValidateNotNullOrEmpty()]
    [string] $SwitchName,

    [Parameter(Mandatory = $true)]
    [ValidatePattern('^[0-9A-F]{12}$')]
    [string] $MacAddress,

    [Parameter(Mandatory = $true)]
    [ValidateRange(1, 1024)]
    [int] $Cpus,

    [Parameter(Mandatory = $true)]
    [ValidateRange(512, 16777216)]
    [int] $MemoryMiB,

    [Parameter(Mandatory = $true)]
    [ValidateRange(1, 65536)]
    [int] $DiskGiB
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\HyperVHost.ps1')
. (Join-Path $PSScriptRoot 'lib\IdentityDisc.ps1')
. (Join-Path $PSScriptRoot 'lib\LabMark.ps1')
. (Join-Path $PSScriptRoot 'lib\LabMachine.ps1')

Invoke-Step -Name 'New-LabMachine' -Body {
    $identity = Read-IdentityDisc
    Assert-HyperV
    # Join-Path would fail without a useful message if the drive does not exist.
    $site = [IO.Path]::Combine($Folder, $MachineName)
    $found = @(Get-NamedMachine -MachineName $MachineName -Site $site -Owner $Owner)
    $whole = @($found | Where-Object { $_.Kind -eq 'whole' -and $_.Making -eq $Making })
    $isNew = $whole.Count -eq 0
    if ($isNew) {
        # Memory of the machines that are removed becomes free.
        $needed = [long]$MemoryMiB
        foreach ($old in $found) {
            $needed -= [long]($old.Machine.MemoryAssigned / 1mb)
        }
        Assert-NoProblem -Problem @(
            Get-NameProblem -Found $found -Site $site -Owner $Owner
            Get-HyperVHostProblem -SwitchName $SwitchName -BaseDisk $BaseDisk -Folder $Folder
            Get-MachineSizeProblem -BaseDisk $BaseDisk -Cpus $Cpus -MemoryMiB $needed -DiskGiB $DiskGiB
        )
        foreach ($old in $found) {
            Remove-OwnMachine -Machine $old.Machine
        }
        $null = Remove-MachineSite -Site $site -Owner $Owner
        New-MachineSite -Site $site -Owner $Owner -Making $Making -BaseDisk $BaseDisk -DiskGiB $DiskGiB `
            -Identity $identity
        New-OwnMachine -MachineName $MachineName -Folder $Folder -Note "kindows owner=$Owner making=$Making" `
            -Generation $Generation -SecureBoot ($SecureBoot -eq 1) -SwitchName $SwitchName `
            -MacAddress $MacAddress -Cpus $Cpus -MemoryMiB $MemoryMiB
        $found = @(Get-NamedMachine -MachineName $MachineName -Site $site -Owner $Owner)
        $whole = @($found | Where-Object { $_.Kind -eq 'whole' -and $_.Making -eq $Making })
    }
    $started = Start-OwnMachine -Machine $whole[0].Machine
    New-StepResult -Changed ($isNew -or $started) -Facts ([ordered]@{ id = [string]$whole[0].Machine.Id })
}
