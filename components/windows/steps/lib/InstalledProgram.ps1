# Single-file programs: put in place whole or not at all, and asked what they are.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

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
        if ($Service -ne '' -and $null -ne (Get-Service -Name $Service -ErrorAction SilentlyContinue)) {
            Stop-ServiceInTime -Name $Service
        }
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
