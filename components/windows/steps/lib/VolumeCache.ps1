# What was written, on the disk.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Windows' lazy writer takes some seconds. A machine that loses its power before it has come to kubelet's config.yaml
# has an empty one afterwards, and looks like a node that has joined: kubelet can't start, and no later run would see
# why. A failure is only said: the node works without this, as long as it has power.
function Write-DriveCache {
    try {
        Write-VolumeCache -DriveLetter C -ErrorAction Stop
    }
    catch {
        Write-StepProgress -Message "drive C: could not be flushed: $($_.Exception.Message)"
    }
}
