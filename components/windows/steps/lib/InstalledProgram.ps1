# Installs programs from the media, completely or not at all, even if other versions of them are running. An installed
# program is neither hashed nor run for its version again as long as its file is unchanged.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'Medium.ps1')

function Test-FileChecksum {
    param([string] $Path, [string] $Checksum)
    (Test-Path -LiteralPath $Path -PathType Leaf) -and
    ((Get-FileHash -LiteralPath $Path -Algorithm SHA256 -ErrorAction Stop).Hash -eq $Checksum)
}

# Moves all files, or none if one can't be moved. Sources and targets are on one drive. Windows does not allow
# overwriting or deleting a running program, but it allows renaming it. Remove-ReplacedFile deletes the renamed file
# once it no longer runs.
function Move-FileIntoPlace {
    param([string[]] $Source, [string[]] $Target)
    $moved = @()
    $current = ''
    try {
        for ($i = 0; $i -lt $Source.Count; $i++) {
            $current = $Target[$i]
            if (Test-Path -LiteralPath $current) {
                $aside = "$current.$([DateTime]::UtcNow.Ticks).replaced"
                [IO.File]::Move($current, $aside)
                $moved += @{ From = $current; To = $aside }
            }
            [IO.File]::Move($Source[$i], $current)
            $moved += @{ From = $Source[$i]; To = $current }
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
        Stop-Step -Code 'FileInUse' -Message "$current can't be replaced: $reason" `
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

# Empties the folder, then unpacks. It is a separate folder, so that a full disk or a broken archive does not harm
# installed programs.
function Expand-TarArchive {
    param([string] $Archive, [string] $Folder, [int] $StripComponents)
    if (Test-Path -LiteralPath $Folder) { Remove-Item -LiteralPath $Folder -Recurse -Force }
    $null = New-Item -Path $Folder -ItemType Directory -Force
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\tar.exe" `
        -ArgumentList '-x', '-z', '-f', $Archive, '-C', $Folder, '--strip-components', "$StripComponents" `
        -TimeoutSeconds 300 `
        -Remedy 'Read what tar wrote: free disk space on C:, or give an archive that is whole, with its checksum.'
}

# Returns media, or installed if the programs from this archive are installed already. $Name is the stem of the file
# with the archive's checksum. $File has the programs' target names by their names in the archive. $Service, if given,
# runs one of them and is stopped. $Inside is their folder in the archive, e.g. bin\; $WithRest also installs its other
# files.
function Install-ArchivedProgram {
    param(
        [string] $Archive, [string] $Checksum, [string] $Folder, [string] $Name, [hashtable] $File,
        [string] $Service = '', [string] $Inside = '', [bool] $WithRest = $false
    )
    # Written last, so that an incomplete installation lacks it.
    $markPath = "$Folder\$Name.sha256"
    $mark = (Read-WholeText -Path $markPath).Trim()
    $missing = @($File.Values | Sort-Object | Where-Object { -not (Test-Path -LiteralPath "$Folder\$_") })
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
    # The mark is written last, so that it shows that the programs are on the disk.
    Write-DriveCache
    Write-WholeText -Path $markPath -Text $Checksum.ToLowerInvariant()
    'media'
}

# $Content is base64. $Service, if given, reads the file when it starts, and is stopped. Returns whether the file
# changed.
function Set-EncodedFile {
    param([string] $Path, [string] $Content, [string] $Service = '')
    $current = ''
    if (Test-Path -LiteralPath $Path) { $current = [Convert]::ToBase64String([IO.File]::ReadAllBytes($Path)) }
    if ($current -ceq $Content) { return $false }
    # Stopped first: if the step were killed in between, the service would keep the old content, and no run would
    # notice.
    Stop-ServiceIfPresent -Name $Service
    Write-WholeFile -Path $Path -Bytes ([Convert]::FromBase64String($Content))
    $true
}

# The record beside a checked program. As in make and rsync, its length and modification time show whether its content
# has changed.
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

# Flushes first, because after a power cut a file may have the right length but not the content.
function Save-CheckedProgram {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    Write-DriveCache
    Write-WholeText -Path "$Path.checked" -Text (Get-ProgramNote -Path $Path -Checksum $Checksum -Version $Version)
}

# Whether `kindows deploy` has replaced the program, and the one that is kept has this checksum and version: renaming it
# has changed neither its length nor its time.
function Test-KeptProgram {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    $note = Get-ProgramNote -Path "$Path.before" -Checksum $Checksum -Version $Version
    $note -ne '' -and (Read-WholeText -Path "$Path.checked") -ceq $note
}

# Returns media, or installed if the program is installed already with this checksum and version, or deployed if it was,
# and the user has replaced it, which lasts until another one is to be installed. $Service, if given, runs the program
# and is stopped. With an empty $Version, the program is not run for its version.
function Install-Program {
    param(
        [string] $Path, [string] $Medium, [string] $Checksum, [string] $Service = '', [string] $Version = '',
        [string[]] $VersionArgument = @()
    )
    if (Test-CheckedProgram -Path $Path -Checksum $Checksum -Version $Version) { return 'installed' }
    if (Test-KeptProgram -Path $Path -Checksum $Checksum -Version $Version) { return 'deployed' }
    $from = 'installed'
    if (-not (Test-FileChecksum -Path $Path -Checksum $Checksum)) {
        Assert-Medium -Path $Medium -Checksum $Checksum
        Copy-Item -LiteralPath $Medium -Destination "$Path.new" -Force
        Stop-ServiceIfPresent -Name $Service
        Move-FileIntoPlace -Source "$Path.new" -Target $Path
        $from = 'media'
    }
    if ($Version -ne '') { $null = Assert-ProgramVersion -Path $Path -ArgumentList $VersionArgument -Version $Version }
    Save-CheckedProgram -Path $Path -Checksum $Checksum -Version $Version
    if (Test-Path -LiteralPath "$Path.before") { Remove-Item -LiteralPath "$Path.before" -Force }
    $from
}

# $Wanted is one version, or the minor releases from one to another, e.g. 1.33-1.36.
function Test-ProgramVersion {
    param([string] $Version, [string] $Wanted)
    if ($Wanted -notmatch '^([0-9]+)\.([0-9]+)-([0-9]+)\.([0-9]+)$') { return $Version -eq $Wanted }
    $least = [int]$Matches[1] * 1000 + [int]$Matches[2]
    $most = [int]$Matches[3] * 1000 + [int]$Matches[4]
    $parts = $Version -split '\.'
    $number = [int]$parts[0] * 1000 + [int]$parts[1]
    $number -ge $least -and $number -le $most
}

# Returns the version that the program prints. kubelet prints "Kubernetes v1.36.4", kubeadm "v1.36.4", containerd
# "containerd <module> v2.3.4 <commit>", or built from modules a version without v and with a +suffix.
function Assert-ProgramVersion {
    param(
        [string] $Path, [string[]] $ArgumentList, [string] $Version,
        [string] $Remedy = 'Set cluster.kubernetesVersion and the checksums of its Windows programs to the same ' +
        'release.'
    )
    $answer = Invoke-NativeCommand -FilePath $Path -ArgumentList $ArgumentList -TimeoutSeconds 60 `
        -Remedy "Look whether $Path is a program for windows-amd64."
    if ($answer -notmatch '(^|\s)v?(?<version>[0-9]+\.[0-9]+\.[0-9]+(-[-0-9A-Za-z.]+)?)(?<build>\+\S*)?(\s|$)' -or
        -not (Test-ProgramVersion -Version $Matches['version'] -Wanted $Version)) {
        Stop-Step -Code 'VersionMismatch' -Message "$Path says '$($answer.Trim())', expected was version $Version." `
            -Remedy $Remedy
    }
    $Matches['version'] + $Matches['build']
}
