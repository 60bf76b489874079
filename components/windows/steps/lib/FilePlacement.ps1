# Putting program files where others of the same name may still run.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

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
    if (Test-Path -LiteralPath $Folder) {
        Remove-Item -LiteralPath $Folder -Recurse -Force
    }
    $null = New-Item -Path $Folder -ItemType Directory -Force
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\tar.exe" `
        -ArgumentList '-x', '-z', '-f', $Archive, '-C', $Folder, '--strip-components', "$StripComponents" `
        -TimeoutSeconds 300 `
        -Remedy 'Read what tar wrote: free disk space on C:, or give an archive that is whole, with its checksum.'
}
