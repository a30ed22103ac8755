# Sidekiq as its users run it: `ruby sidekiq_peer.rb <address of Redis> <order> <queue> …`. Answers with one JSON value a line.

require "json"
require "logger"
VERSION = ENV.fetch("PEER_SIDEKIQ", ">= 0")
gem "sidekiq", VERSION
require "sidekiq"
require "sidekiq/api"
require "sidekiq/job_retry"

ADDRESS = ENV["PEER_REDIS"] ||= ARGV[0]
HOUR = Integer(ENV.fetch("PEER_HOUR_S", 3600))

def say(value)
  $stdout.puts(JSON.generate(value))
  $stdout.flush
end

# Workers say the id of each job they have done.
module Says
  def self.included(base) = base.include(Sidekiq::Worker)
  def perform(*) = say({ job: jid })
end

class Welcome
  include Says
end

module Order
  class Paid
    include Says
  end
end

# Stands for Active Job's.
class Wrapper
  include Says
end

# From version 7 on what is set is an object of its own.
require "sidekiq/capsule" if Sidekiq.respond_to?(:default_configuration)
CONFIGURATION = Sidekiq.respond_to?(:default_configuration) ? Sidekiq.default_configuration : nil
(CONFIGURATION || Sidekiq).logger = Logger.new($stderr)
Sidekiq.configure_client { |config| config.redis = { url: ADDRESS } }
Sidekiq.configure_server do |config|
  config.redis = { url: ADDRESS }
  (CONFIGURATION || Sidekiq.options)[:poll_interval_average] = 1
  config.on(:startup) { say("ready") }
end

# The nth job: at once, past, soon, in an hour, with whatever Sidekiq knows of jobs.
def job(n, queue)
  now = Time.now.to_f
  kind = n.odd? ? "Welcome" : "Order::Paid"
  usual = { "class" => kind, "queue" => queue, "args" => [n, { "to" => "ö@example.com", "id" => 2**80 + n }] }
  case n % 10
  when 0 then usual
  when 1 then usual.merge("at" => now - 1.5)
  when 2 then usual.merge("at" => now + 1.5)
  when 3 then usual.merge("at" => now + HOUR)
  when 4 then usual.merge("at" => now + HOUR + n / 7.0, "tags" => ["a b", "ö"])
  when 5 then usual.merge("at" => (now + HOUR).to_i, "retry" => 5, "backtrace" => 3)
  when 6 then usual.merge("at" => now + HOUR, "retry" => false, "dead" => false)
  when 7 then usual.merge("class" => "Wrapper", "wrapped" => "Mails::Deliver", "at" => now + HOUR)
  when 8 then usual.merge("at" => now + HOUR, "args" => [])
  else usual.merge("retry" => true, "failing" => true)
  end
end

# A job that has failed once waits in `retry`.
def fail(payload, queue)
  retries = CONFIGURATION ? Sidekiq::JobRetry.new(CONFIGURATION.default_capsule) : Sidekiq::JobRetry.new
  retries.global(Sidekiq.dump_json(payload), queue) { raise ArgumentError, "no route" }
rescue Sidekiq::JobRetry::Handled
  nil
end

def fill(queue, from, count)
  client = Sidekiq::Client.new
  (from...from + count).each do |n|
    item = job(n, queue)
    fails = item.delete("failing")
    jid = format("%024x", n)
    item["jid"] = jid
    if fails
      fail(item.merge("created_at" => Time.now.to_f), queue)
    else
      client.push(item)
    end
  end
  # As they are stored.
  due = %w[schedule retry].flat_map { |set| Sidekiq.redis { |redis| members(redis, set) } }
  due = due.to_h { |member, score| [JSON.parse(member)["jid"], whole(score * 1000)] }
  (from...from + count).each do |n|
    jid = format("%024x", n)
    say({ job: jid, due: due[jid] })
  end
end

# Members and scores; version 7 has another client.
def members(redis, set)
  return redis.call("ZRANGE", set, 0, -1, "WITHSCORES") if CONFIGURATION
  redis.zrange(set, 0, -1, with_scores: true)
end

# The first whole millisecond from then on; a hundredth of one is the noise of a binary fraction.
def whole(milliseconds)
  (milliseconds - milliseconds.round).abs < 0.01 ? milliseconds.round : milliseconds.ceil
end

# What only Sidekiq can go on with: a job of a batch.
def keep(queue)
  Sidekiq::Client.new.push("class" => "Welcome", "queue" => queue, "args" => [], "bid" => "b1", "at" => Time.now.to_f + HOUR)
end

def promote(queue)
  [Sidekiq::ScheduledSet.new, Sidekiq::RetrySet.new].each do |set|
    set.to_a.each { |entry| entry.add_to_queue if entry.queue == queue && !entry["bid"] }
  end
end

return if $PROGRAM_NAME.end_with?("sidekiq")

_, order, *words = ARGV
case order
when "fill" then fill(words[0], words[1].to_i, words[2].to_i)
when "keep" then keep(words[0])
when "promote" then promote(words[0])
when "work"
  queues = words.flat_map { |queue| ["-q", queue] }
  exec(RbConfig.ruby, Gem.bin_path("sidekiq", "sidekiq", VERSION), "-r", File.expand_path(__FILE__), "-c", "5", *queues)
else raise "no such order: #{order}"
end
