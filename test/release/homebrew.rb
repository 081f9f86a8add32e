# ruby homebrew.rb FORMULA FOLDER    does with a formula what `brew install` and `brew test` do: FOLDER has the unpacked package.
require "pathname"
require "fileutils"
require "open3"

class Pathname
  def install_symlink(paths)
    mkpath
    paths.each { |path| FileUtils.ln_s(path, self) }
  end
end

class Formula
  class << self
    attr_reader :values

    %i[desc homepage url version sha256 license depends_on].each do |name|
      define_method(name) { |value| (@values ||= {})[name] = value }
    end

    def test(&block)
      block ? define_method(:run_test, &block) : super
    end
  end

  attr_reader :bin, :libexec, :testpath

  def initialize(folder)
    @folder = Pathname.new(folder)
    @bin = @folder/"bin"
    @libexec = @folder/"libexec"
    @testpath = @folder/"test"
    @testpath.mkpath
  end

  def version = self.class.values[:version]

  # Homebrew packs the folder itself, so that npm makes no link to it.
  def std_npm_args
    package, = Open3.capture2("npm", "pack", "--ignore-scripts", "--silent", chdir: "#{@folder}/package")
    ["--global", "--prefix=#{libexec}", "--cache=#{@folder}/cache", "#{@folder}/package/#{package.strip}"]
  end

  def system(*command)
    Kernel.system(*command, exception: true)
  end

  def shell_output(command)
    output, status = Open3.capture2(command)
    raise "#{command}: #{status}" unless status.success?

    output
  end

  def assert_equal(expected, actual)
    raise "#{actual} is not #{expected}" unless expected == actual
  end

  def assert_match(expected, actual)
    raise "#{actual} has no #{expected}" unless actual.include?(expected)
  end
end

load ARGV[0]
formula = Rollcall.new(ARGV[1])
formula.install
formula.run_test
puts "rollcall #{formula.version}: installed and tested"
