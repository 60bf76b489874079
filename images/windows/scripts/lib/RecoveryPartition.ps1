# The partition of Windows' recovery environment. It is behind drive C: and would keep that from growing.

# The partition's type in a GPT and in an MBR.
$RecoveryGptType = '{de94bba4-06d1-4d40-a16a-bfd50179d6ac}'
$RecoveryMbrType = 39

# A broken node is replaced, not recovered. The answer file has no recovery partition, but the setup of Windows Server
# 2025 creates one anyway (rgl/windows-vagrant, remove-recovery-partition.ps1).
function Remove-RecoveryPartition {
    $partitions = @(Get-Partition -ErrorAction Stop | Where-Object {
            $_.GptType -eq $RecoveryGptType -or $_.MbrType -eq $RecoveryMbrType
        })
    if ($partitions.Count -eq 0) {
        return
    }
    # 2: already disabled.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\reagentc.exe" -ArgumentList '/disable' `
        -TimeoutSeconds 120 -SuccessExitCodes 0, 2 -Remedy 'See what `reagentc /info` says on the machine.'
    foreach ($partition in $partitions) {
        Remove-Partition -DiskNumber $partition.DiskNumber -PartitionNumber $partition.PartitionNumber `
            -Confirm:$false -ErrorAction Stop
    }
}
