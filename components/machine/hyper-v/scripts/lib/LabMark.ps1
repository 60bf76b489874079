# Whose a machine of a lab on Hyper-V is, and what of others is in its way.
#
# It stands in the machine's notes and in a file beside its disk, for each can be there without the other: a machine of
# which nothing was made but its folder, and a folder whose machine is gone. What bears no such mark, or another lab's,
# is never touched.

$MarkFile = 'kindows.txt'
$DiskFile = 'disk.vhdx'

# Reads whose a machine is (Owner, Making) from its notes or its folder's mark; nothing where no such mark is there.
function Read-LabMark {
    param([string] $Text)
    if ($Text -match '(?m)^kindows owner=([0-9a-f]{12}) making=([0-9a-f]{12})\s*$') {
        [pscustomobject]@{ Owner = $Matches[1]; Making = $Matches[2] }
    }
}

# Reads whose a folder is; nothing where it is nobody's, or not there.
function Read-SiteMark {
    param([string] $Site)
    $path = [IO.Path]::Combine($Site, $MarkFile)
    if (Test-Path -LiteralPath $path) {
        Read-LabMark -Text ([IO.File]::ReadAllText($path))
    }
}

# Returns the machines of a name, each with what it is: whole (made to its end by Owner), half (begun by Owner), or
# foreign. Hyper-V lets several have one name.
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
            # It gets its notes last. Until then it is known by its disk, in a folder that was made for it.
            $disks = @(Get-VMHardDiskDrive -VM $machine | ForEach-Object { $_.Path })
            $strange = @($disks | Where-Object { $_ -ne [IO.Path]::Combine($Site, $DiskFile) })
            if ($disks.Count -gt 0 -and $strange.Count -eq 0) {
                $kind = 'half'
            }
        }
        [pscustomobject]@{ Machine = $machine; Kind = $kind; Making = $making }
    }
}

# Returns what is in the way of a machine of this name, one text each: what somebody else has made.
function Get-NameProblem {
    param([object[]] $Found, [string] $Site, [string] $Owner)
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
