# The names of Ruby's library:
#
#   ruby --disable-gems ruby.rb > ../src/data/ruby/library.txt             what is there without a `require`
#   ruby ruby.rb standard > ../src/data/ruby/standard.txt   with all that can be required, and RubyGems
#
# The constants of Object, the methods of the classes and modules, private ones of Kernel and Module among them. Made with
# Ruby 3.1.
if ARGV[0] == 'standard'
  require 'rbconfig'
  lists = Dir.children(RbConfig::CONFIG['rubylibdir']).grep(/\A[a-z_\d]+\.rb\z/).map { |file| file.delete_suffix('.rb') }
  never = %w[debug un mkmf bundler rubygems bundled_gems unicode_normalize]
  (lists + %w[socket stringio strscan zlib bigdecimal date etc fcntl io/console openssl psych digest nkf pty ripper] - never).each do |name|
    require name
  rescue LoadError, StandardError
    next
  end
  # What helps programmers at work is no part of the library.
  modules = ObjectSpace.each_object(Module).reject { |one| Module.instance_method(:name).bind_call(one).to_s.match?(/\A(Bundler|DidYouMean|RubyVM)\b/) }
else
  modules = Object.constants.map { |constant| Object.const_get(constant) }.grep(Module)
end
names = ARGV[0] == 'standard' ? modules.flat_map { |one| Module.instance_method(:name).bind_call(one).to_s.split('::') }.map(&:to_sym) : []
names += Object.constants
modules.each do |one|
  names += one.instance_methods(false) + one.private_instance_methods(false) + one.singleton_methods(false)
  names += one.constants(false)
end
names += Kernel.private_instance_methods + Module.private_instance_methods + BasicObject.private_instance_methods
names += %i[__FILE__ __LINE__ __method__ __dir__] if ARGV[0] == 'standard'
names << :new << :initialize
words = names.map { |name| name.to_s.sub(/[?!=]\z/, '') }
puts words.grep(/\A[A-Za-z_]\w*\z/).uniq.sort
