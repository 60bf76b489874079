# Certificates that the machine trusts as roots: Windows' own programs, and Go's such as containerd and kubelet.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')
. (Join-Path $PSScriptRoot 'NativeCommand.ps1')

# The certificates that kindows has added. One that was there before is not recorded, and stays.
$CertificateRecordPath = 'C:\kindows\state\certificates.json'

# The store Root of the machine
# (https://learn.microsoft.com/windows/win32/seccrypto/system-store-locations): a key for each certificate, named by its
# SHA-1. Looked at here, because certutil.exe's output is translated, and its exit codes are not documented.
$RootStoreKey = 'HKLM:\SOFTWARE\Microsoft\SystemCertificates\ROOT\Certificates'

function Test-RootCertificate {
    param([string] $Thumbprint)
    Test-Path -LiteralPath "$RootStoreKey\$Thumbprint"
}

# Returns the thumbprints in the record. If it is unreadable, nothing is known to be kindows' own.
function Get-CertificateRecord {
    $record = Read-Record -Path $CertificateRecordPath
    if ($null -ne $record) { @($record.thumbprints) }
}

function Save-CertificateRecord {
    param([string[]] $Thumbprint = @())
    if ($Thumbprint.Count -eq 0) { Remove-Record -Path $CertificateRecordPath }
    else { Save-Record -Path $CertificateRecordPath -Record ([ordered]@{ thumbprints = @($Thumbprint) }) }
}

function Invoke-Certutil {
    param([string[]] $Argument)
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\certutil.exe" -ArgumentList $Argument `
        -TimeoutSeconds 60 -Remedy 'Look for a policy that locks the machine''s root certificates.'
}

# $Content has the certificate's bytes in base64.
function Add-RootCertificate {
    param([string] $Thumbprint, [string] $Content)
    $file = "C:\kindows\state\$Thumbprint.cer"
    Write-WholeFile -Path $file -Bytes ([Convert]::FromBase64String($Content))
    try {
        Invoke-Certutil -Argument '-f', '-addstore', 'Root', $file
    }
    finally { Remove-Item -LiteralPath $file -Force }
    if (-not (Test-RootCertificate -Thumbprint $Thumbprint)) {
        Stop-Step -Code 'CommandFailed' -Message "certutil.exe has not added the certificate $Thumbprint." `
            -Remedy 'Look for a policy that locks the machine''s root certificates.'
    }
}

# Makes these certificates trusted, and removes others that kindows has added. $Wanted has the bytes of each in base64,
# by its SHA-1 in upper case. Returns whether anything changed.
function Set-TrustedCertificate {
    param([System.Collections.IDictionary] $Wanted)
    $changed = $false
    $own = @(Get-CertificateRecord)
    $missing = @($Wanted.Keys | Where-Object { -not (Test-RootCertificate -Thumbprint $_) } | Sort-Object)
    $surplus = @($own | Where-Object { -not $Wanted.Contains($_) })
    # Recorded before they are added: after a power cut they would be nobody's.
    $added = @($missing | Where-Object { $own -notcontains $_ })
    if ($added.Count -gt 0) { Save-CertificateRecord -Thumbprint ($own + $added) }
    foreach ($thumbprint in $missing) {
        Add-RootCertificate -Thumbprint $thumbprint -Content $Wanted[$thumbprint]
        $changed = $true
    }
    foreach ($thumbprint in $surplus) {
        if (Test-RootCertificate -Thumbprint $thumbprint) {
            Invoke-Certutil -Argument '-delstore', 'Root', $thumbprint
            $changed = $true
        }
    }
    if ($surplus.Count -gt 0) {
        Save-CertificateRecord -Thumbprint @($own + $added | Where-Object { $Wanted.Contains($_) })
    }
    $changed
}
