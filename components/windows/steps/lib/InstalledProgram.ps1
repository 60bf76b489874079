# Programs, from the media to their place: put there whole or not at all, also where others of the same name run. What
# is there already is neither hashed nor asked again as long as it is the same file.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

function Test-FileChecksum {
    param([string] $Path, [string] $Checksum)
    (Test-Path -LiteralPath $Path -PathType Leaf) -and
    ((Get-FileHash -LiteralPath $Path -Algorithm SHA256 -ErrorAction Stop).Hash -eq $Checksum)
}

# A file that a step needs: the image carries it, or the host pushed it here before the step began.
function Assert-Medium {
    param([string] $Path, [string] $Checksum)
    # `kindows up` knows these two codes by their names (cli/commands/up.ts).
    $remedy = 'Run `./kindows up`: it has what was pushed to the machine pushed again. What its image carries, copy ' +
    'there by hand.'
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        Stop-Step -Code 'MediumMissing' -Message "$Path is not there." -Remedy $remedy
    }
    $actual = (Get-FileHash -LiteralPath $Path -Algorithm SHA256 -ErrorAction Stop).Hash
    if ($actual -ne $Checksum) {
        $found = "$Path has the SHA-256 $($actual.ToLowerInvariant())"
        Stop-Step -Code 'ChecksumMismatch' -Message "$found, expected was $($Checksum.ToLowerInvariant())." `
            -Remedy $remedy
    }
}

# All of them, or none where one can't be moved, on one drive. Windows lets nobody overwrite or delete a running
# program, but renaming it is allowed: the process goes on under the other name, which Remove-ReplacedFile removes once
# nothing runs it any more.
function Move-FileIntoPlace {
    param([string[]] $Source, [string[]] $Target)
    $moved = @()
    $place = ''
    try {
        for ($i = 0; $i -lt $Source.Count; $i++) {
            $place = $Target[$i]
            if (Test-Path -LiteralPath $place) {
                $aside = "$place.$([DateTime]::UtcNow.Ticks).replaced"
                [IO.File]::Move($place, $aside)
                $moved += @{ From = $place; To = $aside }
            }
            [IO.File]::Move($Source[$i], $place)
            $moved += @{ From = $Source[$i]; To = $place }
        }
    }
    catch [System.IO.IOException], [System.UnauthorizedAccessException] {
        $reason = $_.Exception.GetBaseException().Message
        for ($i = $moved.Count - 1; $i -ge 0; $i--) {
            try {
                [IO.File]::Move($moved[$i].To, $moved[$i].From)
            }
            catch {
                Write-StepProgress -Message "$($moved[$i].To) could not be put back: $($_.Exception.Message)"
            }
        }
        Stop-Step -Code 'FileInUse' -Message "$place can't be replaced: $reason" `
            -Remedy 'Close what holds the file open (an editor, a virus scanner, a backup), then run again.'
    }
}

function Remove-ReplacedFile {
    param([string] $Folder)
    foreach ($file in Get-ChildItem -LiteralPath $Folder -Filter '*.replaced' -File) {
        try {
            Remove-Item -LiteralPath $file.FullName -Force
        }
        catch {
            Write-StepProgress -Message "$($file.FullName) is still running and stays until a later run."
        }
    }
}

# The folder is emptied first, and nothing runs in it yet: a full disk or a broken archive harms nothing that is
# installed.
function Expand-TarArchive {
    param([string] $Archive, [string] $Folder, [int] $StripComponents)
    if (Test-Path -LiteralPath $Folder) { Remove-Item -LiteralPath $Folder -Recurse -Force }
    $null = New-Item -Path $Folder -ItemType Directory -Force
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\tar.exe" `
        -ArgumentList '-x', '-z', '-f', $Archive, '-C', $Folder, '--strip-components', "$StripComponents" `
        -TimeoutSeconds 300 `
        -Remedy 'Read what tar wrote: free disk space on C:, or give an archive that is whole, with its checksum.'
}

# Returns media, or installed where the programs are there from this very archive already. $Name is the stem of the file
# that remembers the archive, $File gives the name each shall have by its name in the archive, and $Service, where
# given, runs one of them. $Inside is the folder of the archive that they lie in, such as bin\; $WithRest brings along
# what else lies there.
function Install-ArchivedProgram {
    param(
        [string] $Archive, [string] $Checksum, [string] $Folder, [string] $Name, [hashtable] $File,
        [string] $Service = '', [string] $Inside = '', [bool] $WithRest = $false
    )
    # Written last: what is half in place lacks it.
    $markPath = "$Folder\$Name.sha256"
    $mark = (Read-WholeText -Path $markPath).Trim()
    $missing = @($File.Values | Where-Object { -not (Test-Path -LiteralPath "$Folder\$_") })
    if ($mark -eq $Checksum -and $missing.Count -eq 0) { return 'installed' }
    Assert-Medium -Path $Archive -Checksum $Checksum
    $staging = "$Folder\$Name.new"
    Expand-TarArchive -Archive $Archive -Folder $staging -StripComponents $(if ($Inside -eq '') { 0 } else { 1 })
    $sources = @($File.Keys | Sort-Object)
    $absent = @($sources | Where-Object { -not (Test-Path -LiteralPath "$staging\$_") })
    if ($absent.Count -gt 0) {
        Remove-Item -LiteralPath $staging -Recurse -Force
        Stop-Step -Code 'CommandFailed' -Message "$Archive holds no $Inside$($absent -join ", no $Inside")." `
            -Remedy 'Give the archive of the release for windows-amd64, with its checksum.'
    }
    if ($WithRest) { $sources = @(Get-ChildItem -LiteralPath $staging -File | ForEach-Object { $_.Name }) }
    Stop-ServiceIfPresent -Name $Service
    if (Test-Path -LiteralPath $markPath) { Remove-Item -LiteralPath $markPath -Force }
    Move-FileIntoPlace -Source @($sources | ForEach-Object { "$staging\$_" }) `
        -Target @($sources | ForEach-Object { "$Folder\$(if ($File.ContainsKey($_)) { $File[$_] } else { $_ })" })
    Remove-Item -LiteralPath $staging -Recurse -Force
    # The mark is on the disk when it is written, and says that the programs are.
    Write-DriveCache
    Write-WholeText -Path $markPath -Text $Checksum.ToLowerInvariant()
    'media'
}

# $Content is in base64, and $Service reads the file at its start; returns whether the file differed.
function Set-EncodedFile {
    param([string] $Path, [string] $Content, [string] $Service = '')
    $current = ''
    if (Test-Path -LiteralPath $Path) { $current = [Convert]::ToBase64String([IO.File]::ReadAllBytes($Path)) }
    if ($current -ceq $Content) { return $false }
    # Before, not after: a step killed in between would leave one that runs with the old content and looks right.
    Stop-ServiceIfPresent -Name $Service
    Write-WholeFile -Path $Path -Bytes ([Convert]::FromBase64String($Content))
    $true
}

# What a program is, noted beside it. Length and time of the last change stand for the content, as with make and rsync:
# who replaces the program changes them.
function Get-ProgramNote {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) { return '' }
    $file = Get-Item -LiteralPath $Path -Force
    $Checksum.ToLowerInvariant(), $Version, $file.Length, $file.LastWriteTimeUtc.Ticks -join ' '
}

function Test-CheckedProgram {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    $note = Get-ProgramNote -Path $Path -Checksum $Checksum -Version $Version
    $note -ne '' -and (Read-WholeText -Path "$Path.checked") -ceq $note
}

# Once it is on the disk: after a power cut its length alone would say nothing.
function Save-CheckedProgram {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    Write-DriveCache
    Write-WholeText -Path "$Path.checked" -Text (Get-ProgramNote -Path $Path -Checksum $Checksum -Version $Version)
}

# Returns media, or installed where the program is there already with the right checksum and version. $Service, where
# given, runs the program; where $Version is empty it is not asked.
function Install-Program {
    param(
        [string] $Path, [string] $Medium, [string] $Checksum, [string] $Service = '', [string] $Version = '',
        [string[]] $VersionArgument = @()
    )
    if (Test-CheckedProgram -Path $Path -Checksum $Checksum -Version $Version) { return 'installed' }
    $from = 'installed'
    if (-not (Test-FileChecksum -Path $Path -Checksum $Checksum)) {
        Assert-Medium -Path $Medium -Checksum $Checksum
        Copy-Item -LiteralPath $Medium -Destination "$Path.new" -Force
        Stop-ServiceIfPresent -Name $Service
        Move-FileIntoPlace -Source "$Path.new" -Target $Path
        $from = 'media'
    }
    if ($Version -ne '') { Assert-ProgramVersion -Path $Path -ArgumentList $VersionArgument -Version $Version }
    Save-CheckedProgram -Path $Path -Checksum $Checksum -Version $Version
    $from
}

# kubelet says "Kubernetes v1.36.4", kubeadm "v1.36.4", containerd "containerd <module> v2.3.4 <commit>"; built from
# modules, without v and with a +suffix.
function Assert-ProgramVersion {
    param(
        [string] $Path, [string[]] $ArgumentList, [string] $Version,
        [string] $Remedy = 'Set cluster.kubernetesVersion and the checksums of its Windows programs to the same ' +
        'release.'
    )
    $answer = Invoke-NativeCommand -FilePath $Path -ArgumentList $ArgumentList -TimeoutSeconds 60 `
        -Remedy "Look whether $Path is a program for windows-amd64."
    if ($answer -notmatch '(^|\s)v?(?<version>[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?)(\+\S*)?(\s|$)' -or
        $Matches['version'] -ne $Version) {
        Stop-Step -Code 'VersionMismatch' -Message "$Path says '$($answer.Trim())', expected was version $Version." `
            -Remedy $Remedy
    }
}
