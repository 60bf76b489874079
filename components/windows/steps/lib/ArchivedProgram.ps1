# Programs out of an archive, and files that come with a command line: put in place whole or not at all.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'VolumeCache.ps1')

# Returns media, or installed where the programs are there from this very archive already, whose files lie in no folder.
# $Name is the stem of the file that remembers the archive, $File gives the name each shall have by its name in the
# archive, and $Service, where given, runs one of them.
function Install-ArchivedProgram {
    param(
        [string] $Archive,
        [string] $Checksum,
        [string] $Folder,
        [string] $Name,
        [hashtable] $File,
        [string] $Service = ''
    )
    # Written last: what is half in place lacks it.
    $markPath = "$Folder\$Name.sha256"
    $mark = if (Test-Path -LiteralPath $markPath) { ([IO.File]::ReadAllText($markPath)).Trim() } else { '' }
    $missing = @($File.Values | Where-Object { -not (Test-Path -LiteralPath "$Folder\$_") })
    if ($mark -eq $Checksum -and $missing.Count -eq 0) {
        return 'installed'
    }
    Assert-Medium -Path $Archive -Checksum $Checksum
    $staging = "$Folder\$Name.new"
    Expand-TarArchive -Archive $Archive -Folder $staging -StripComponents 0
    $sources = @($File.Keys | Sort-Object)
    $absent = @($sources | Where-Object { -not (Test-Path -LiteralPath "$staging\$_") })
    if ($absent.Count -gt 0) {
        Remove-Item -LiteralPath $staging -Recurse -Force
        Stop-Step -Code 'CommandFailed' -Message "$Archive holds no $($absent -join ', no ')." `
            -Remedy 'Give the archive of the release for windows-amd64, with its checksum.'
    }
    if ($Service -ne '' -and $null -ne (Get-Service -Name $Service -ErrorAction SilentlyContinue)) {
        Stop-ServiceInTime -Name $Service
    }
    if (Test-Path -LiteralPath $markPath) {
        Remove-Item -LiteralPath $markPath -Force
    }
    Move-FileIntoPlace -Source @($sources | ForEach-Object { "$staging\$_" }) `
        -Target @($sources | ForEach-Object { "$Folder\$($File[$_])" })
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
    if (Test-Path -LiteralPath $Path) {
        $current = [Convert]::ToBase64String([IO.File]::ReadAllBytes($Path))
    }
    if ($current -ceq $Content) {
        return $false
    }
    # Before, not after: a step killed in between would leave one that runs with the old content and looks right.
    if ($Service -ne '' -and $null -ne (Get-Service -Name $Service -ErrorAction SilentlyContinue)) {
        Stop-ServiceInTime -Name $Service
    }
    Write-WholeFile -Path $Path -Bytes ([Convert]::FromBase64String($Content))
    $true
}
