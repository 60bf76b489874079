# Runs scripts of the user's on the machine, each as often as the settings say.

. (Join-Path $PSScriptRoot 'Medium.ps1')
. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'PowerShellCall.ps1')
. (Join-Path $PSScriptRoot 'NativeCommand.ps1')

# The SHA-256 with which each script has run to its end, by its name.
$ScriptRecordPath = 'C:\kindows\state\scripts.json'

# $Scripts has name=sha256=runs entries separated by semicolons, in the order in which they run; runs is once or
# changed. A script that fails ends the step, and the next run begins with it. All together get $TimeoutSeconds. Returns
# the names of those that ran, and of those that had run before.
function Invoke-OwnScript {
    param([string] $Scripts, [int] $TimeoutSeconds)
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $done = [ordered]@{}
    $record = Read-Record -Path $ScriptRecordPath
    if ($null -ne $record) {
        foreach ($each in $record.PSObject.Properties) { $done[$each.Name] = [string]$each.Value }
    }
    $ran = @()
    $skipped = @()
    foreach ($entry in $Scripts -split ';') {
        $name, $checksum, $runs = $entry -split '='
        if ($done.Contains($name) -and ($runs -eq 'once' -or $done[$name] -eq $checksum)) {
            $skipped += $name
            continue
        }
        $file = "C:\kindows\media\$checksum.ps1"
        Assert-Medium -Path $file -Checksum $checksum
        Write-StepProgress -Message "running $name"
        $left = [int][math]::Max(1, $TimeoutSeconds - $clock.Elapsed.TotalSeconds)
        $null = Invoke-NativeCommand -FilePath $PowerShellPath -ArgumentList (Get-ScriptCall -Script $file) `
            -TimeoutSeconds $left -FailureCode 'ScriptFailed' `
            -Remedy "This is your script $name (windows.scripts): correct it, or the machine, then run again."
        $done[$name] = $checksum
        Save-Record -Path $ScriptRecordPath -Record $done
        $ran += $name
    }
    [pscustomobject]@{ Ran = $ran; Skipped = $skipped }
}
