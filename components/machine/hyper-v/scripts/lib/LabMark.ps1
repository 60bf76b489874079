# The mark that names the owner of a machine on Hyper-V.
#
# It is in the machine's notes and in a file beside its disk, because a folder can exist before its machine is made and
# after the machine is gone. Nothing without a mark, or with another lab's mark, is touched.

$MarkFile = 'kindows.txt'
$DiskFile = 'disk.vhdx'

# Reads the mark (Owner, Making) in a machine's notes or in the file. Returns nothing if there is no mark.
function Read-LabMark {
    param([string] $Text)
    if ($Text -match '(?m)^kindows owner=([0-9a-f]{12}) making=([0-9a-f]{12})\s*$') {
        [pscustomobject]@{ Owner = $Matches[1]; Making = $Matches[2] }
    }
}

# Reads the mark of a folder. Returns nothing if the folder does not exist or has no mark.
function Read-SiteMark {
    param([string] $Site)
    $path = [IO.Path]::Combine($Site, $MarkFile)
    if (Test-Path -LiteralPath $path) {
        Read-LabMark -Text ([IO.File]::ReadAllText($path))
    }
}

# Returns the machines of a name, each with its kind: whole (complete and Owner's), half (incomplete and Owner's), or
# foreign. In Hyper-V several machines can have the same name.
function Get-NamedMachine {
    param([string] $MachineName, [string] $Site, [string] $Owner)
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
            # A machine gets its notes last. Until then it is recognized by its disk, in a folder with Owner's mark.
            $disks = @(Get-VMHardDiskDrive -VM $machine | ForEach-Object { $_.Path })
            $others = @($disks | Where-Object { $_ -ne [IO.Path]::Combine($Site, $DiskFile) })
            if ($disks.Count -gt 0 -and $others.Count -eq 0) {
                $kind = 'half'
            }
        }
        [pscustomobject]@{ Machine = $machine; Kind = $kind; Making = $making }
    }
}

# Returns a text for each machine and folder of this name that does not belong to Owner.
function Get-NameProblem {
    param([object[]] $Found, [string] $Site, [string] $Owner)
    foreach ($each in @($Found | Where-Object { $_.Kind -eq 'foreign' })) {
        "there is a machine $($each.Machine.Name) ($($each.Machine.Id)) that this lab has not made"
    }
    if (Test-Path -LiteralPath $Site) {
        $mark = Read-SiteMark -Site $Site
        $names = @(Get-ChildItem -LiteralPath $Site)
        if (($null -eq $mark -and $names.Count -gt 0) -or ($null -ne $mark -and $mark.Owner -ne $Owner)) {
            "there is a folder $Site that this lab has not made"
        }
    }
}
