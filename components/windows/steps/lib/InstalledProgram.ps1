# Single-file programs: put in place whole or not at all, and asked what they are. That is noted beside them: they are
# neither hashed nor asked again as long as they are the same file.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Length and time of the last change stand for the content, as with make and rsync: who replaces the program changes
# them.
function Get-ProgramNote {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        return ''
    }
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
        [string] $Path,
        [string] $Medium,
        [string] $Checksum,
        [string] $Service = '',
        [string] $Version = '',
        [string[]] $VersionArgument = @()
    )
    if (Test-CheckedProgram -Path $Path -Checksum $Checksum -Version $Version) {
        return 'installed'
    }
    $from = 'installed'
    if (-not (Test-FileChecksum -Path $Path -Checksum $Checksum)) {
        Assert-Medium -Path $Medium -Checksum $Checksum
        Copy-Item -LiteralPath $Medium -Destination "$Path.new" -Force
        Stop-ServiceIfPresent -Name $Service
        Move-FileIntoPlace -Source "$Path.new" -Target $Path
        $from = 'media'
    }
    if ($Version -ne '') {
        Assert-ProgramVersion -Path $Path -ArgumentList $VersionArgument -Version $Version
    }
    Save-CheckedProgram -Path $Path -Checksum $Checksum -Version $Version
    $from
}

function Assert-ProgramVersion {
    param([string] $Path, [string[]] $ArgumentList, [string] $Version)
    $answer = Invoke-NativeCommand -FilePath $Path -ArgumentList $ArgumentList -TimeoutSeconds 60 `
        -Remedy "Look whether $Path is a program for windows-amd64."
    if ($answer -notmatch 'v(?<version>[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?)' -or $Matches['version'] -ne $Version) {
        Stop-Step -Code 'VersionMismatch' -Message "$Path says '$($answer.Trim())', expected was version $Version." `
            -Remedy 'Set cluster.kubernetesVersion and the checksums of its Windows programs to the same release.'
    }
}
