<#
.SYNOPSIS
Checks that this machine can become a Windows node, and changes nothing.

.DESCRIPTION
Checks the operating system (Windows Server, 64 bit, build and revision, support by the pod network), its licence,
PowerShell, the computer name, the free space of drive C:, the memory and administrator rights. Reports all problems at
once. The facts of the result include the build, which the lab's outputs show, the end of an evaluation licence and the
reasons for a pending reboot, which only cause warnings. The clock is not checked, because without a control plane there
is no clock to compare it with. Join-Node checks and corrects it.

.PARAMETER ComputerName
Name the computer must have: a DNS label of at most 15 characters, compared without regard to case. It becomes the
node's name, so a machine with another name must not join. Default: none, mandatory. Source: settings,
nodes[].name.

.PARAMETER MinimumBuild
Lowest build number of Windows, e.g. 20348 (Server 2022). Default: 20348. Source: Kubernetes lists Windows Server 2022
and 2025 only (kubernetes/website#53724).

.PARAMETER MinimumRevision
Lowest revision (UBR) of exactly that build; later builds may have any. Default: 2762, the update KB5044281 of October
2024: revisions from 2322 on broke Calico's VXLAN (projectcalico/calico#8529, #9019). Source: settings of the stack.

.PARAMETER MinimumFreeDiskGiB
Free space drive C: must have, in GiB. Default: 20: a Server Core image takes 5 to 12 GiB unpacked and kubelet starts to
evict pods below 15 % free.

.PARAMETER MinimumMemoryMiB
Memory the machine must have, in MiB. Default: 2048, Microsoft's minimum for Windows Server. 64 MiB less are accepted,
because a machine with exactly 2048 MiB reports a little less.

.PARAMETER PodNetwork
calico, flannel or none. Calico for Windows does not support versions after Server 2022. Default: none. Source:
settings, cni.kind.

.OUTPUTS
Facts of the result (lib/Step.ps1): computerName, productName, edition, build, revision, freeDiskGiB, memoryMiB,
powerShell, evaluationEnds (empty for a licence that does not end), rebootPending (reasons; empty for none),
switchOverride (registry value that the pod network needs, as key\name=value; empty for none), lastBootUpTime, utc.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull; 20
HostUnsuitable.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [ValidatePattern('^[A-Za-z0-9]([-A-Za-z0-9]{0,13}[A-Za-z0-9])?$')]
    [string] $ComputerName,
    [ValidateRange(17763, 99999)] [int] $MinimumBuild = 20348,
    [ValidateRange(0, 99999)] [int] $MinimumRevision = 2762,
    [ValidateRange(1, 65536)] [int] $MinimumFreeDiskGiB = 20,
    [ValidateRange(512, 4194304)] [int] $MinimumMemoryMiB = 2048,
    [ValidatePattern('^(calico|flannel|none)$')] [string] $PodNetwork = 'none'
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\PendingReboot.ps1')
. (Join-Path $PSScriptRoot 'lib\EvaluationLicence.ps1')
. (Join-Path $PSScriptRoot 'lib\SwitchOverride.ps1')

Invoke-Step -Name 'Test-WindowsHost' -Body {
    $windows = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
    $system = Get-CimInstance -ClassName Win32_OperatingSystem
    $drive = Get-CimInstance -ClassName Win32_LogicalDisk -Filter "DeviceID='C:'"
    $sshd = Get-CimInstance -ClassName Win32_Service -Filter "Name='sshd'"

    $licence = Get-EvaluationLicence

    $name = [Net.Dns]::GetHostName()
    $nextName = Get-PendingComputerName
    $build = [int]$windows.CurrentBuildNumber
    $revision = [int]$windows.UBR
    $freeDiskGiB = [math]::Floor($drive.FreeSpace / 1gb)
    $memoryMiB = [math]::Floor($system.TotalVisibleMemorySize / 1024)

    $problems = @(
        if ($system.ProductType -eq 1) { "$($system.Caption) is a client edition; Windows Server is needed" }
        if (-not [Environment]::Is64BitOperatingSystem) { 'Windows is a 32 bit edition; 64 bit is needed' }
        if ($name -ne $ComputerName) { "the computer is named $name, expected was $ComputerName" }
        if ($nextName -ne '') { "the computer will be named $nextName after its next reboot: reboot it first" }
        if ($PSVersionTable.PSVersion -lt [Version]'5.1') {
            "PowerShell is $($PSVersionTable.PSVersion); 5.1 is needed"
        }
        if ($licence.IsExpired) {
            'its evaluation licence has ended: Windows shuts down every hour (slmgr /rearm, or a new image)'
        }
        # 20349 to 26099 are builds between Server 2022 and Server 2025.
        if ($PodNetwork -eq 'calico' -and $build -ge 26100) {
            "build $build is Windows Server 2025, which Calico does not support (projectcalico/calico#11691)"
        }
        if ($build -lt $MinimumBuild) { "build $build is older than $MinimumBuild" }
        if ($build -eq $MinimumBuild -and $revision -lt $MinimumRevision) {
            "revision $build.$revision is older than $build.$MinimumRevision (install the latest cumulative update)"
        }
        if ($freeDiskGiB -lt $MinimumFreeDiskGiB) {
            "drive C: has $freeDiskGiB GiB free, $MinimumFreeDiskGiB GiB are needed"
        }
        if ($memoryMiB -lt $MinimumMemoryMiB - 64) { "memory is $memoryMiB MiB, $MinimumMemoryMiB MiB are needed" }
        if ($null -ne $sshd -and $sshd.StartMode -ne 'Auto') {
            "the sshd service starts as $($sshd.StartMode): after a reboot the machine could not be reached"
        }
    )
    if ($problems.Count -gt 0) {
        Stop-Step -Code 'HostUnsuitable' -Message "This machine cannot become a node: $($problems -join '; ')." `
            -Remedy 'Change the machine or its image, or the limits in the settings of the node.'
    }

    $override = ''
    if ($PodNetwork -ne 'none' -and -not (Test-SwitchOverride -Build $build)) {
        $lacking = $SwitchOverrides[$build]
        $override = "$SwitchOverrideKey\$($lacking.Name)=$($lacking.Value)"
    }

    New-StepResult -Changed $false -Facts ([ordered]@{
            computerName   = $name
            productName    = $windows.ProductName
            edition        = $windows.EditionID
            build          = "10.0.$build"
            revision       = $revision
            freeDiskGiB    = $freeDiskGiB
            memoryMiB      = $memoryMiB
            powerShell     = $PSVersionTable.PSVersion.ToString()
            evaluationEnds = $licence.Ends
            rebootPending  = @(Get-PendingRebootReason) -join ', '
            switchOverride = $override
            lastBootUpTime = Get-LastBootUpTime
            utc            = [DateTime]::UtcNow.ToString('yyyy-MM-ddTHH:mm:ssZ')
        })
}
