<#
.SYNOPSIS
Makes this machine trust certificates of the user's, e.g. that of a company's CA.

.DESCRIPTION
Adds them to the machine's store Root, which Windows' own programs and Go's (containerd, kubelet) ask at each
connection, so that nothing restarts. Those that this step added earlier and that are not given any more are removed.
Certificates that were there before stay. Standard input is one JSON object {"certificates": ["<DER in base64>", ...]};
it is only read if there are any.

.PARAMETER Thumbprints
SHA-1 of each certificate, 40 hexadecimal digits in upper case, separated by semicolons, in the order of standard
input. Empty: none. Default: none, mandatory. Source: settings, caCertificates.

.OUTPUTS
Facts of the result (lib/Step.ps1): thumbprints.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 13 SecretMissing; 14
CommandFailed; 15 CommandTimedOut; 16 DiskFull.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [AllowEmptyString()] [ValidatePattern('^([0-9A-F]{40}(;[0-9A-F]{40})*)?$', Options = 'None')]
    [string] $Thumbprints
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\StandardInput.ps1')
. (Join-Path $PSScriptRoot 'lib\TrustedCertificate.ps1')

Invoke-Step -Name 'Set-TrustedCertificate' -Body {
    $wanted = [ordered]@{}
    if ($Thumbprints -ne '') {
        $names = @($Thumbprints -split ';')
        $remedy = 'Give one JSON object with as many certificates as thumbprints on standard input, and end the input.'
        $given = Read-StandardInput -Remedy $remedy
        if ($null -eq $given -or $null -eq $given.PSObject.Properties['certificates'] -or
            @($given.certificates).Count -ne $names.Count) {
            Stop-Step -Code 'SecretMissing' -Remedy $remedy `
                -Message "Standard input does not have $($names.Count) certificates."
        }
        for ($i = 0; $i -lt $names.Count; $i++) { $wanted[$names[$i]] = [string]@($given.certificates)[$i] }
    }
    $changed = Set-TrustedCertificate -Wanted $wanted
    New-StepResult -Changed $changed -Facts ([ordered]@{ thumbprints = $Thumbprints })
}
