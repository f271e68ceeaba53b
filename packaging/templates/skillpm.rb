class Skillpm < Formula
  desc "@DESCRIPTION@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/skillpm-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/skillpm-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/skillpm-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/skillpm-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "skillpm"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/skillpm.bash" => "skillpm"
    zsh_completion.install "completions/_skillpm"
    fish_completion.install "completions/skillpm.fish"
  end

  test do
    assert_equal "skillpm #{version}", shell_output("#{bin}/skillpm --version").strip
    system bin/"skillpm", "add", "release"
    assert_path_exists testpath/".agents/skills/release/SKILL.md"
  end
end
