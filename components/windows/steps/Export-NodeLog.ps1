<#
.SYNOPSIS
Writes what is needed to see why a node does not work: the ends of its logs and what Windows says of itself.

.DESCRIPTION
Collects to a folder only administrators can read, packs it, writes the archive (.tar.gz) in base64 to standard output,
before the result, and removes both. Tokens, keys and passwords are hidden. A question that can't be answered leaves the
reason in its file. Changes nothing, and does not wait for another step: it may be the one that hangs.

.PARAMETER TailKiB
KiB from the end of each log file. Default: 1024.

.OUTPUTS
Facts of the result (lib/Step.ps1): files, bytes.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed;
15 CommandTimedOut; 16 DiskFull.
#>
[CmdletBinding()]
param(
    [ValidateRange(16, 8192)] [int] $TailKiB = 1024
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\ProtectedFile.ps1')
. (Join-Path $PSScriptRoot 'lib\LogFiles.ps1')

Invoke-Step -Name 'Export-NodeLog' -Body {
    # A folder of its own: another export may be under way. What one that was cut short left goes after a day.
    foreach ($old in @(Get-ChildItem -Path 'C:\kindows\logs-*')) {
        if ($old.LastWriteTimeUtc -lt [DateTime]::UtcNow.AddDays(-1)) {
            Remove-Item -LiteralPath $old.FullName -Recurse -Force
        }
    }
    $export = "C:\kindows\logs-$([Guid]::NewGuid().ToString('N'))"
    $folder = Join-Path $export 'files'
    $archive = Join-Path $export 'files.tar.gz'
    Protect-Folder -Path $export
    try {
        $null = New-Item -Path $folder -ItemType Directory -Force
        Copy-NodeLog -Folder $folder -TailKiB $TailKiB
        Save-NodeText -Folder $folder
        $files = @(Get-ChildItem -LiteralPath $folder -File).Count
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\tar.exe" -TimeoutSeconds 120 `
            -ArgumentList '-c', '-z', '-f', $archive, '-C', $folder, '.' `
            -Remedy 'Free disk space on C:, then run again.'
        $bytes = [IO.File]::ReadAllBytes($archive)
        for ($start = 0; $start -lt $bytes.Length; $start += 49152) {
            $count = [math]::Min(49152, $bytes.Length - $start)
            [Console]::Out.WriteLine([Convert]::ToBase64String($bytes, $start, $count))
        }
    }
    finally { Remove-Item -LiteralPath $export -Recurse -Force }
    New-StepResult -Changed $false -Facts ([ordered]@{ files = $files; bytes = $bytes.Length })
} -Alone $false
