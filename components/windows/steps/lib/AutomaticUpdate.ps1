# Turns off Windows' automatic updates, which would change its build and reboot a node without draining it.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$AutomaticUpdateKey = 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate\AU'
$AutomaticUpdateRecordPath = 'C:\kindows\state\automatic-update.json'

# Returns NoAutoUpdate: 0, 1, or nothing if it is not set.
function Get-AutomaticUpdatePolicy {
    if (Test-Path -LiteralPath $AutomaticUpdateKey) {
        # Not Get-ItemProperty, which returns nothing for a key without any values, as policies leave them.
        $value = (Get-Item -LiteralPath $AutomaticUpdateKey).GetValue('NoAutoUpdate')
        if ($null -ne $value) { [int]$value }
    }
}

# Returns whether Windows updated by itself until now. The previous policy is recorded once, for
# Restore-AutomaticUpdate. A policy that turns updates off already belongs to somebody else and stays.
function Disable-AutomaticUpdate {
    $before = Get-AutomaticUpdatePolicy
    if ($before -eq 1) { return $false }
    if (-not (Test-Path -LiteralPath $AutomaticUpdateRecordPath)) {
        $record = [ordered]@{ noAutoUpdate = $null; hadKey = (Test-Path -LiteralPath $AutomaticUpdateKey) }
        # 5.1's ConvertTo-Json would write a function's missing return value as {} (PowerShell/PowerShell#9231).
        if ($null -ne $before) { $record.noAutoUpdate = $before }
        Save-Record -Path $AutomaticUpdateRecordPath -Record $record
    }
    # New-Item -Force would empty an existing key.
    if (-not (Test-Path -LiteralPath $AutomaticUpdateKey)) { $null = New-Item -Path $AutomaticUpdateKey -Force }
    Set-ItemProperty -LiteralPath $AutomaticUpdateKey -Name 'NoAutoUpdate' -Value 1
    $true
}

# Returns a line if Disable-AutomaticUpdate had changed the policy.
function Restore-AutomaticUpdate {
    if (-not (Test-Path -LiteralPath $AutomaticUpdateRecordPath)) { return }
    $record = Read-Record -Path $AutomaticUpdateRecordPath
    if (-not (Test-Path -LiteralPath $AutomaticUpdateKey)) {
        # Somebody has removed all policies since, including this one.
        Write-StepProgress -Message "$AutomaticUpdateKey does not exist any more."
    }
    elseif ($null -ne $record.noAutoUpdate) {
        Set-ItemProperty -LiteralPath $AutomaticUpdateKey -Name 'NoAutoUpdate' -Value ([int]$record.noAutoUpdate)
    }
    elseif ($null -ne (Get-AutomaticUpdatePolicy)) {
        Remove-ItemProperty -LiteralPath $AutomaticUpdateKey -Name 'NoAutoUpdate'
    }
    if (-not $record.hadKey) {
        foreach ($key in $AutomaticUpdateKey, (Split-Path -Path $AutomaticUpdateKey)) {
            if (Test-Path -LiteralPath $key) {
                $item = Get-Item -LiteralPath $key
                if ($item.ValueCount + $item.SubKeyCount -eq 0) { Remove-Item -LiteralPath $key -Force }
            }
        }
    }
    Remove-Record -Path $AutomaticUpdateRecordPath
    'policy NoAutoUpdate'
}
