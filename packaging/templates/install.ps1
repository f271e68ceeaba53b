# Installs skillpm @VERSION@ for one user: `powershell -ExecutionPolicy Bypass -File install.ps1`. It fetches the archive for Windows,
# checks that its SHA-256 digest is the one below, puts the program into -Prefix, and adds that to the user's PATH.
#
# Nothing is changed if a step fails. To remove it, delete the directory and its entry in PATH.
param(
    # Where to install.
    [string] $Prefix = (Join-Path $env:LOCALAPPDATA 'Programs\skillpm'),
    # Where the archive is, such as a mirror; the default is the release of this version.
    [string] $DownloadUrl = '@REPOSITORY@/releases/download/v@VERSION@',
    # Leave PATH as it is.
    [switch] $NoPath
)

$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2

$Version = '@VERSION@'
$Target = 'x86_64-pc-windows-msvc'
$Expected = '@SHA256:x86_64-pc-windows-msvc@'

function Stop-Install([string] $Message, [string] $Help) {
    [Console]::Error.WriteLine("error: $Message")
    [Console]::Error.WriteLine("help: $Help")
    exit 1
}

if ($env:OS -ne 'Windows_NT') {
    Stop-Install 'install.ps1 is for Windows' 'run install.sh'
}
if (-not [Environment]::Is64BitOperatingSystem) {
    Stop-Install 'no program for 32-bit Windows' 'cargo install --locked skillpm'
}

$Name = "skillpm-$Version-$Target"
$Work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid().ToString())
New-Item -ItemType Directory -Path $Work | Out-Null
try {
    $Archive = Join-Path $Work 'archive.zip'
    # Windows PowerShell 5 begins with TLS 1.0, which GitHub refuses.
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    try {
        $ProgressPreference = 'SilentlyContinue'
        Invoke-WebRequest -UseBasicParsing -Uri "$DownloadUrl/$Name.zip" -OutFile $Archive
    } catch {
        Stop-Install "failed to fetch $DownloadUrl/$Name.zip`n  caused by: $($_.Exception.Message)" 'to use a mirror, pass -DownloadUrl URL'
    }

    $Actual = (Get-FileHash -Algorithm SHA256 -Path $Archive).Hash.ToLowerInvariant()
    if ($Actual -ne $Expected) {
        Stop-Install "digest of $DownloadUrl/$Name.zip is wrong`n  expected sha256:$Expected`n     found sha256:$Actual" `
            'the download is damaged or was replaced; try again, and report it if it stays: @REPOSITORY@/security'
    }

    Expand-Archive -Path $Archive -DestinationPath $Work
    $Program = Join-Path (Join-Path $Work $Name) 'skillpm.exe'
    & $Program --version | Out-Null
    if ($LASTEXITCODE -ne 0) {
        Stop-Install 'the program does not start here' 'cargo install --locked skillpm'
    }

    try {
        New-Item -ItemType Directory -Force -Path $Prefix | Out-Null
        Move-Item -Force -Path $Program -Destination (Join-Path $Prefix 'skillpm.exe')
    } catch {
        Stop-Install "failed to write to $Prefix`n  caused by: $($_.Exception.Message)" 'close skillpm where it runs, or pass -Prefix DIR'
    }
} finally {
    Remove-Item -Recurse -Force -Path $Work
}
Write-Output "Installed skillpm $Version at $(Join-Path $Prefix 'skillpm.exe')"

$UserPath = [Environment]::GetEnvironmentVariable('Path', 'User')
if (-not $NoPath -and ("$UserPath" -split ';') -notcontains $Prefix) {
    [Environment]::SetEnvironmentVariable('Path', "$Prefix;$UserPath", 'User')
    Write-Output "Added $Prefix to your PATH, for terminals that are opened from now on"
}
