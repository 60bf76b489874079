# A machine of a lab on Hyper-V: whose it is, its files, its beginning and its end.
#
# Whose it is stands in the machine's notes and in a file beside its disk, for each can be there without the other: a
# machine of which nothing was made but its folder, and a folder whose machine is gone. What bears no such mark, or
# another lab's, is never touched.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$MarkFile = 'kindows.txt'
$DiskFile = 'disk.vhdx'
$IdentityFile = 'identity.iso'

<#
.SYNOPSIS
Reads whose a machine is (Owner, Making) from its notes or its folder's mark; nothing where no such mark is there.

.PARAMETER Text
The notes, or the mark's file.
#>
function Read-LabMark {
    [CmdletBinding()]
    [OutputType([pscustomobject])]
    param(
        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Text
    )

    if ($Text -match '(?m)^kindows owner=([0-9a-f]{12}) making=([0-9a-f]{12})\s*$') {
        [pscustomobject]@{ Owner = $Matches[1]; Making = $Matches[2] }
    }
}

<#
.SYNOPSIS
Reads whose a folder is; nothing where it is nobody's, or not there.

.PARAMETER Site
Full path of the folder.
#>
function Read-SiteMark {
    [CmdletBinding()]
    [OutputType([pscustomobject])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Site
    )

    $path = Join-Path $Site $MarkFile
    if (Test-Path -LiteralPath $path) {
        Read-LabMark -Text ([IO.File]::ReadAllText($path))
    }
}

<#
.SYNOPSIS
Returns the machines of a name, each with what it is: whole (made to its end by Owner), half (begun by Owner), or
foreign. Hyper-V lets several have one name.

.PARAMETER MachineName
The name.

.PARAMETER Site
Full path of the folder that a machine of Owner's with this name lies in.

.PARAMETER Owner
Whose machines are not foreign.
#>
function Get-NamedMachine {
    [CmdletBinding()]
    [OutputType([pscustomobject])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $MachineName,

        [Parameter(Mandatory = $true)]
        [string] $Site,

        [Parameter(Mandatory = $true)]
        [string] $Owner
    )

    $siteMark = Read-SiteMark -Site $Site
    foreach ($machine in @(Get-VM | Where-Object { $_.Name -eq $MachineName })) {
        $mark = Read-LabMark -Text ([string]$machine.Notes)
        $kind = 'foreign'
        $making = ''
        if ($null -ne $mark -and $mark.Owner -eq $Owner) {
            $kind = 'whole'
            $making = $mark.Making
        }
        elseif ([string]$machine.Notes -eq '' -and $null -ne $siteMark -and $siteMark.Owner -eq $Owner) {
            # It gets its notes last. Until then it is known by its disk, in a folder that was made for it.
            $disks = @(Get-VMHardDiskDrive -VM $machine | ForEach-Object { $_.Path })
            $strange = @($disks | Where-Object { $_ -ne (Join-Path $Site $DiskFile) })
            if ($disks.Count -gt 0 -and $strange.Count -eq 0) {
                $kind = 'half'
            }
        }
        [pscustomobject]@{ Machine = $machine; Kind = $kind; Making = $making }
    }
}

<#
.SYNOPSIS
Returns what is in the way of a machine of this name, one text each: what somebody else has made.

.PARAMETER Found
What Get-NamedMachine found.

.PARAMETER Site
Full path of the folder that the machine is to lie in.

.PARAMETER Owner
Whose it is to be.
#>
function Get-NameProblem {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [AllowEmptyCollection()]
        [object[]] $Found,

        [Parameter(Mandatory = $true)]
        [string] $Site,

        [Parameter(Mandatory = $true)]
        [string] $Owner
    )

    foreach ($each in @($Found | Where-Object { $_.Kind -eq 'foreign' })) {
        "a machine $($each.Machine.Name) ($($each.Machine.Id)) is there that this lab has not made"
    }
    if (Test-Path -LiteralPath $Site) {
        $mark = Read-SiteMark -Site $Site
        $names = @(Get-ChildItem -LiteralPath $Site)
        if (($null -eq $mark -and $names.Count -gt 0) -or ($null -ne $mark -and $mark.Owner -ne $Owner)) {
            "a folder $Site is there that this lab has not made"
        }
    }
}

<#
.SYNOPSIS
Reads the machine's identity disc off standard input, in base64. Errors never repeat what was read: a key is on it.
#>
function Read-IdentityDisc {
    [CmdletBinding()]
    [OutputType([byte[]])]
    param()

    $remedy = 'Give the disc in base64 on standard input, and end the input.'
    # As a stream of its own, since only that can be waited for in bounded time.
    $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList ([Console]::OpenStandardInput())
    $reading = $reader.ReadToEndAsync()
    if (-not $reading.Wait(60000)) {
        Stop-Step -Code 'SecretMissing' -Message 'Standard input did not end within 60 s.' -Remedy $remedy
    }
    Read-IdentityText -Text $reading.Result
}

<#
.SYNOPSIS
Returns the disc that a text in base64 holds; stops the step where it holds none.

.PARAMETER Text
The text.
#>
function Read-IdentityText {
    [CmdletBinding()]
    [OutputType([byte[]])]
    param(
        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Text
    )

    $bytes = New-Object -TypeName byte[] -ArgumentList 0
    try {
        $bytes = [Convert]::FromBase64String($Text.Trim())
    }
    catch {
        Stop-Step -Code 'SecretMissing' -Message "Standard input is not base64 ($($Text.Length) characters)." `
            -Remedy 'Give the disc in base64 on standard input, and end the input.'
    }
    # "CD001" in sector 16 of 2048 bytes: ISO 9660.
    if ($bytes.Length -lt 34816 -or [Text.Encoding]::ASCII.GetString($bytes, 32769, 5) -ne 'CD001') {
        Stop-Step -Code 'SecretMissing' -Message "Standard input is no disc image ($($bytes.Length) bytes)." `
            -Remedy 'Give the disc in base64 on standard input, and end the input.'
    }
    , $bytes
}

<#
.SYNOPSIS
Makes the folder of a machine with its mark and its identity disc, and its disk on top of the image's.

.PARAMETER Site
Full path of the folder.

.PARAMETER Owner
Whose it is.

.PARAMETER Making
Which making of the machine.

.PARAMETER BaseDisk
Full path of the VHDX that the disk stands on.

.PARAMETER DiskGiB
Size of the disk in GiB.

.PARAMETER Identity
The identity disc.
#>
function New-MachineSite {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Site,

        [Parameter(Mandatory = $true)]
        [string] $Owner,

        [Parameter(Mandatory = $true)]
        [string] $Making,

        [Parameter(Mandatory = $true)]
        [string] $BaseDisk,

        [Parameter(Mandatory = $true)]
        [int] $DiskGiB,

        [Parameter(Mandatory = $true)]
        [byte[]] $Identity
    )

    $null = New-Item -ItemType Directory -Path $Site -Force
    [IO.File]::WriteAllText((Join-Path $Site $MarkFile), "kindows owner=$Owner making=$Making`r`n")
    [IO.File]::WriteAllBytes((Join-Path $Site $IdentityFile), $Identity)
    $null = New-VHD -Path (Join-Path $Site $DiskFile) -ParentPath $BaseDisk -Differencing -SizeBytes ($DiskGiB * 1gb)
}

<#
.SYNOPSIS
Makes a machine of what lies in its folder, off. Its notes come last: a machine that has them is whole.

.PARAMETER MachineName
Its name.

.PARAMETER Folder
Full path of the folder in which its own folder lies.

.PARAMETER Note
Its notes.

.PARAMETER Generation
1 (BIOS) or 2 (UEFI).

.PARAMETER SecureBoot
Whether a machine of generation 2 starts with Secure Boot, as Windows wants it.

.PARAMETER SwitchName
Virtual switch that it is on.

.PARAMETER MacAddress
Its MAC address, 12 hexadecimal digits.

.PARAMETER Cpus
Its virtual processors.

.PARAMETER MemoryMiB
Its memory in MiB.
#>
function New-OwnMachine {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $MachineName,

        [Parameter(Mandatory = $true)]
        [string] $Folder,

        [Parameter(Mandatory = $true)]
        [string] $Note,

        [Parameter(Mandatory = $true)]
        [int] $Generation,

        [Parameter(Mandatory = $true)]
        [bool] $SecureBoot,

        [Parameter(Mandatory = $true)]
        [string] $SwitchName,

        [Parameter(Mandatory = $true)]
        [string] $MacAddress,

        [Parameter(Mandatory = $true)]
        [int] $Cpus,

        [Parameter(Mandatory = $true)]
        [int] $MemoryMiB
    )

    $site = Join-Path $Folder $MachineName
    $machine = New-VM -Name $MachineName -Path $Folder -Generation $Generation -SwitchName $SwitchName `
        -MemoryStartupBytes ($MemoryMiB * 1mb) -VHDPath (Join-Path $site $DiskFile)
    # kubelet counts on memory that stays, and a checkpoint would bring back a node that the cluster knows no more.
    Set-VM -VM $machine -StaticMemory -ProcessorCount $Cpus -CheckpointType Disabled `
        -AutomaticStartAction Start -AutomaticStopAction ShutDown
    # Pods of an l2bridge network send with addresses of their own through this adapter.
    Set-VMNetworkAdapter -VM $machine -StaticMacAddress $MacAddress -MacAddressSpoofing On
    $drives = @(Get-VMDvdDrive -VM $machine)
    if ($drives.Count -eq 0) {
        Add-VMDvdDrive -VM $machine -Path (Join-Path $site $IdentityFile)
    }
    else {
        # Generation 1 comes with an empty one.
        Set-VMDvdDrive -VMDvdDrive $drives[0] -Path (Join-Path $site $IdentityFile)
    }
    if ($Generation -eq 2) {
        $state = if ($SecureBoot) { 'On' } else { 'Off' }
        Set-VMFirmware -VM $machine -EnableSecureBoot $state -FirstBootDevice @(Get-VMHardDiskDrive -VM $machine)[0]
    }
    Set-VM -VM $machine -Notes $Note
}

<#
.SYNOPSIS
Starts a machine that is off or saved; whether it was.

.PARAMETER Machine
The machine, as Get-VM returns it.
#>
function Start-OwnMachine {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [object] $Machine
    )

    $stands = @('Off', 'Saved') -contains [string]$Machine.State
    if ($stands) {
        Start-VM -VM $Machine
    }
    $stands
}

<#
.SYNOPSIS
Ends a machine at once and removes it, but none of its files.

.PARAMETER Machine
The machine, as Get-VM returns it.
#>
function Remove-OwnMachine {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [object] $Machine
    )

    if ([string]$Machine.State -ne 'Off') {
        Stop-VM -VM $Machine -TurnOff -Force
    }
    Remove-VM -VM $Machine -Force
}

<#
.SYNOPSIS
Removes the folder of a machine that is Owner's; whether there was one. Its mark goes last, so that what a killed run
leaves is still known. Hyper-V lets go of a machine's files some time after the machine is gone.

.PARAMETER Site
Full path of the folder.

.PARAMETER Owner
Whose it has to be.
#>
function Remove-MachineSite {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Site,

        [Parameter(Mandatory = $true)]
        [string] $Owner
    )

    $mark = Read-SiteMark -Site $Site
    if ($null -eq $mark -or $mark.Owner -ne $Owner) {
        return $false
    }
    $deadline = [DateTime]::UtcNow.AddSeconds(60)
    while ($true) {
        try {
            Get-ChildItem -LiteralPath $Site |
                Where-Object { $_.Name -ne $MarkFile } |
                ForEach-Object { Remove-Item -LiteralPath $_.FullName -Recurse -Force }
            Remove-Item -LiteralPath $Site -Recurse -Force
            return $true
        }
        catch {
            if ([DateTime]::UtcNow -gt $deadline) {
                Stop-Step -Code 'FileInUse' `
                    -Message "$Site cannot be removed within 60 s: $($_.Exception.Message)" `
                    -Remedy 'End what has a file there open (a backup, a virus scanner), then run again.'
            }
            Start-Sleep -Seconds 2
        }
    }
}
