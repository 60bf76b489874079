# Steps of a node that run while its image is made.

$MediaFolder = 'C:\kindows\media'

# $Source has one folder for each program, named by its SHA-256. It need not be there.
function Copy-Program {
    param([string] $Source)
    $null = New-Item -Path $MediaFolder -ItemType Directory -Force
    if (Test-Path -LiteralPath $Source) {
        foreach ($folder in Get-ChildItem -LiteralPath $Source -Directory) {
            # Merged with what an earlier run copied, not put into it.
            Copy-Item -LiteralPath $folder.FullName -Destination $MediaFolder -Recurse -Force
        }
    }
}

# A node finds the programs in their places, and an upgrade brings its own.
function Remove-Program {
    if (Test-Path -LiteralPath $MediaFolder) {
        Remove-Item -LiteralPath $MediaFolder -Recurse -Force
    }
}

# Runs it as a node would, in a process of its own; returns whether the machine is about to reboot.
function Invoke-BakedStep {
    param([string] $Script, [object] $Parameters)
    $arguments = @('-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', $Script)
    foreach ($parameter in $Parameters.PSObject.Properties) {
        $arguments += "-$($parameter.Name)", [string]$parameter.Value
    }
    # 24 and 75: it waits for a reboot that it has ordered.
    $output = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" `
        -ArgumentList $arguments -TimeoutSeconds 1200 -SuccessExitCodes 0, 24, 75 `
        -Remedy 'What it says names the remedy.'
    $line = ($output.TrimEnd() -split "`n")[-1]
    if ($line -notmatch '^\{') {
        Stop-Step -Code 'CommandFailed' -Message "$Script ended without a result." -Remedy 'Build the image again.'
    }
    $answer = ConvertFrom-Json -InputObject $line
    $fields = @($answer.PSObject.Properties | ForEach-Object { $_.Name })
    # An object without properties has no names under strict mode.
    if ($fields -contains 'facts' -and
        @($answer.facts.PSObject.Properties | ForEach-Object { $_.Name }) -contains 'warning' -and
        $answer.facts.warning -ne '') {
        Write-SerialLine -Message "warning: $($answer.facts.warning)"
    }
    ($fields -contains 'error') -or $answer.rebootRequired
}
