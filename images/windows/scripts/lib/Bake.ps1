# Runs steps of a node while its image is built.

. (Join-Path $PSScriptRoot 'PowerShellCall.ps1')
. (Join-Path $PSScriptRoot 'ProtectedFile.ps1')

$MediaFolder = 'C:\kindows\media'

# $Source has one folder for each program, named by its SHA-256, the user's scripts, and what is beside them. It may be
# missing.
function Copy-Program {
    param([string] $Source)
    if (Test-Path -LiteralPath $Source) {
        foreach ($file in Get-ChildItem -LiteralPath $Source -Recurse -File) {
            $target = Join-Path $MediaFolder $file.FullName.Substring($Source.Length + 1)
            Protect-Folder -Path (Split-Path -Path $target) -UsersRead $true
            # A script; the name is as long as a name on a disc may be.
            if ($file.Name -match '^[0-9a-f]{64}$') { $target += '.ps1' }
            Copy-Item -LiteralPath $file.FullName -Destination $target -Force
        }
    }
}

# The programs are installed, so the media are no longer needed. An upgrade pushes its own.
function Remove-Program {
    if (Test-Path -LiteralPath $MediaFolder) {
        Remove-Item -LiteralPath $MediaFolder -Recurse -Force
    }
}

# Runs the step in a process of its own, as on a node. Returns whether the machine is about to reboot.
function Invoke-BakedStep {
    param([string] $Script, [object] $Parameters, [string] $StandardInput)
    $arguments = @()
    foreach ($parameter in $Parameters.PSObject.Properties) {
        $arguments += "-$($parameter.Name)", [string]$parameter.Value
    }
    # 24 and 75: the step has ordered a reboot.
    $output = Invoke-NativeCommand -FilePath $PowerShellPath -TimeoutSeconds 2000 -SuccessExitCodes 0, 24, 75 `
        -ArgumentList (Get-ScriptCall -Script $Script -Parameter $arguments) -StandardInput $StandardInput `
        -Remedy 'The output names the remedy.'
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
