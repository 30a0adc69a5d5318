// How a session answers with a file (stage 4, between the route and the ticket): it looks the path
// up among the files of its route, and either sends a file, which is never queued, or goes on with
// the script that the path stands for.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "files/names.hpp"
#include "proxy/failure.hpp"
#include "proxy/file_answer.hpp"
#include "proxy/file_tasks.hpp"
#include "proxy/routing.hpp"
#include "proxy/session.hpp"

namespace ticketgate {
namespace {

// Room for the status line and the fields that are not the file's.
constexpr std::size_t usual_head = 256;

// The session that waits for a task; however it ends, the task no longer notifies it.
class Wanting {
 public:
    Wanting(disk::Task& task, Observer& waiter) : task_(task) { task_.notify(&waiter); }
    ~Wanting() { task_.notify(nullptr); }
    Wanting(const Wanting&) = delete;
    Wanting& operator=(const Wanting&) = delete;

 private:
    disk::Task& task_;
};

// Joined, if a list stands in several lines.
class Lines {
 public:
    explicit Lines(const http::RequestHead& head) : head_(head) {}
    std::string_view list(std::string_view name) {
        std::string_view first;
        std::string* joined = nullptr;
        for (const auto& field : head_.fields) {
            if (!iequals(field.name, name)) continue;
            if (first.data() == nullptr) {
                first = field.value;
            } else {
                if (joined == nullptr) *(joined = &texts_[used_++ % texts_.size()]) = first;
                joined->append(", ").append(field.value);
            }
        }
        return joined == nullptr ? first : *joined;
    }
    // Of a field that may stand only once; several lines: it is there, and empty.
    std::optional<std::string_view> only(std::string_view name) const {
        std::optional<std::string_view> found;
        for (const auto& field : head_.fields)
            if (iequals(field.name, name)) found = found ? std::string_view() : field.value;
        return found;
    }

 private:
    const http::RequestHead& head_;
    std::array<std::string, 3> texts_;  // Accept-Encoding, If-Match, If-None-Match
    std::size_t used_ = 0;
};

// Its name has the request's id, which no file can foresee.
std::string separator_of(const Record& record) {
    std::string out = "ticketgate-";
    for (const char c : record.request_id.view())
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) out += c;
    return out.substr(0, 70);
}

files::Answer redirect_to(std::string_view path, std::string_view target, bool reads) {
    files::Answer answer;
    // A POST stays a POST.
    answer.status = reads ? 301 : 308;
    const auto query = std::min(target.find('?'), target.size());
    answer.fields = "Location: " + files::encoded_path(path) + std::string(target.substr(query)) +
                    "\r\nContent-Length: 0\r\n";
    return answer;
}

}  // namespace

// ── looking up ──

task<error_code> Session::find_file() {
    const http::RequestHead& head = *station().head.view();
    files::Query query;
    if (!files::file_path(*station().path.view(), query.path))
        co_return request_->route->files->has_backend() ? error_code()
                                                        : make_error_code(errc::no_file);
    query.reads = head.method == "GET" || head.method == "HEAD";
    Lines lines(head);
    if (query.reads) query.takes = files::read_codings(lines.list("Accept-Encoding"));
    files::Resolved found;
    found.kind = files::Resolved::Kind::unknown;
    look_now(query, found);
    if (found.kind == files::Resolved::Kind::unknown) {
        const error_code failure = co_await look_on_disk(std::move(query), found);
        if (failure) co_return failure;
    }
    co_return take_found(found);
}

// Leaves it unknown if the disk must be asked.
void Session::look_now(const files::Query& query, files::Resolved& found) {
    const files::Rules& rules = *request_->route->files;
    const disk::Root root = station().roots.find(rules.root, loop().woke());
    if (root == nullptr) return;
    disk::Folder folder(root, station().commons.open_files, rules.links, station().kept_files,
                        loop().woke());
    found = files::look_up(folder, query, rules);
    if (folder.trouble() != 0) station().tell_file(*request_, folder.troubled(), folder.trouble());
}

task<error_code> Session::look_on_disk(files::Query query, files::Resolved& found) {
    if (!client_.hold_head()) co_return errc::input_full;
    const auto look =
        std::make_shared<FileLook>(request_->route, std::move(query), station().commons.open_files);
    const error_code failure = co_await wait_for(look->route->files->root, look);
    if (failure) co_return failure;
    client_.view_head_again();
    if (look->root != nullptr)
        station().roots.put(look->route->files->root, look->root, loop().woke());
    if (look->trouble != 0) station().tell_file(*request_, look->troubled, look->trouble);
    found = std::move(look->found);
    if (found.file != nullptr) use_kept(static_cast<disk::File&>(*found.file));
    for (auto& file : look->opened) station().kept_files.keep(std::move(file), loop().woke());
    co_return error_code();
}

// Some file systems are asked at each look-up, and the file that is kept may be a copy.
void Session::use_kept(disk::File& file) {
    const auto kept = station().kept_files.find(file.identity(), loop().woke());
    if (kept) file.use(*kept);
}

// A disk that is silent gets as much time as a backend.
task<error_code> Session::wait_for(const std::string& root, std::shared_ptr<disk::Task> task) {
    const auto what = begun() ? disk::Readers::For::begun : disk::Readers::For::newcomer;
    if (!station().commons.readers.submit(root, task, loop(), what)) co_return errc::files_busy;
    const Wanting wanting(*task, signal_);
    loop().arm(deadline_, settings().response_timeout);
    while (!task->done()) {
        co_await signal_;
        if (station().stopping()) co_return request_->unstarted_at_stop();
        if (client_.wire().broken()) co_return errc::client_closed;
        if (deadline_.expired()) co_return errc::file_late;
    }
    deadline_.disarm();
    if (task->failed()) co_return errc::internal;
    co_return error_code();
}

// The head is in view.
error_code Session::take_found(files::Resolved& found) {
    using Kind = files::Resolved::Kind;
    const http::RequestHead& head = *station().head.view();
    switch (found.kind) {
        case Kind::file:
            answer_with(found);
            return {};
        case Kind::redirect:
            file_ = std::make_unique<FileAnswer>(
                redirect_to(found.path, head.target, head.method == "GET" || request_->to_head),
                nullptr);
            return {};
        case Kind::script:
            return run_script(found);
        case Kind::upstream:
            return found.of_folder ? queue_as(found.path) : error_code();
        case Kind::missing:
        case Kind::hidden:
            return errc::no_file;
        case Kind::unknown:
        case Kind::failed:
            break;
    }
    return errc::files_busy;
}

void Session::answer_with(files::Resolved& found) {
    const http::RequestHead& head = *station().head.view();
    Lines lines(head);
    files::Wanted wanted;
    wanted.head = request_->to_head;
    wanted.conditions = {lines.list("If-Match"), lines.list("If-None-Match"),
                         lines.only("If-Modified-Since").value_or(""),
                         lines.only("If-Unmodified-Since").value_or(""), lines.only("If-Range")};
    wanted.range = lines.only("Range").value_or("");
    auto answer =
        files::answer_of(found, *request_->route->files, wanted, request_->record.received.unix_s(),
                         wanted.range.empty() ? std::string() : separator_of(request_->record));
    file_ = std::make_unique<FileAnswer>(std::move(answer),
                                         std::static_pointer_cast<disk::File>(found.file));
}

// The fallback is run under the path that was asked for, as any front controller.
error_code Session::run_script(const files::Resolved& found) {
    request_->script = fcgi::Script{found.path, {}};
    return found.of_folder ? queue_as(found.path) : error_code();
}

// The script of a folder is one that the path does not name: where its own path has a queue, the
// request stands in that.
error_code Session::queue_as(const std::string& script) {
    Routed own;
    own.route = request_->route;
    own.queues = queues_;
    const Routed its =
        with_script(*request_->snapshot, *station().head.view(), peer(), std::move(own), script);
    if (its.failure) {
        if (!its.complaint.empty()) station().head.view()->complaint = its.complaint;
        note_refused_head(its.failure);
        return its.failure;
    }
    if (queues_ || !its.queues) return {};
    request_->route = its.route;
    queues_ = true;
    note_inside();
    return {};
}

// ── sending ──

task<error_code> Session::send_file() {
    turn_ = Turn::file;
    client_.consume_head();
    if (whole()) {
        (void)keep_next();
    } else {
        // The unused body would pass for the next request.
        request_->keep_alive = false;
        (void)client_.keep(Next::nobody);
    }
    if (Station* const elsewhere = client_.settles_on()) co_await client_.move_to(*elsewhere);
    write_file_head();
    error_code failure;
    while (!failure) {
        const std::uint64_t taken = file_->taken();
        const auto waits = file_->send(client_.wire(), loop().buffer());
        if (waits == FileAnswer::Waits::no) break;
        if (waits == FileAnswer::Waits::gone) failure = errc::client_closed;
        if (waits == FileAnswer::Waits::lost) failure = lose_file();
        if (waits == FileAnswer::Waits::disk) failure = co_await read_file();
        if (waits != FileAnswer::Waits::client) continue;
        if (!client_deadline_.armed() || file_->taken() != taken) await_client();
        co_await signal_;
        if (gives_client_up()) failure = errc::client_closed;
    }
    client_deadline_.disarm();
    request_->record.bytes = file_->body_taken();
    co_return failure;
}

task<error_code> Session::read_file() {
    disk::File& file = *file_->file();
    // A copy reads the whole file, so a client that wants a few bytes of it does not make one.
    const bool much = file_->left() >= file.size / 2;
    const bool copies = much && station().kept_files.wants_copy(file.identity(), loop().woke(),
                                                                request_->record.received);
    const auto read = std::make_shared<FileRead>(file_->file(), file_->wanted(),
                                                 copies ? station().commons.copies : nullptr);
    const error_code failure = co_await wait_for(request_->route->files->root, read);
    if (failure) co_return failure;
    if (read->copy != nullptr) {
        const disk::OpenedFile copy{file.identity(), std::move(read->copy), disk::Place::memory};
        file.use(copy);
        station().kept_files.replace(copy, loop().woke());
        co_return error_code();
    }
    if (read->bytes.empty()) co_return lose_file();
    file_->give(std::move(read->bytes));
    co_return error_code();
}

error_code Session::lose_file() {
    station().commons.log.error(
        "a file became shorter, or could not be read, while it was sent",
        {{"request_id", request_->record.request_id}, {"path", request_->record.target}});
    return errc::file_lost;
}

void Session::write_file_head() {
    Request& request = *request_;
    Record& record = request.record;
    if (station().ends_connections()) request.keep_alive = false;
    record.status = file_->status();
    std::string head;
    head.reserve(usual_head + file_->fields().size());
    append_all(head, "HTTP/1.1 ", std::to_string(record.status), " ", reason_phrase(record.status),
               "\r\n", file_->fields());
    head.append(station().date_line());
    stamp_response(request.ids(), record, false, 11, head);
    if (!request.keep_alive)
        head.append("Connection: close\r\n");
    else if (request.client_1_0)
        head.append("Connection: keep-alive\r\n");
    file_->head(head.append("\r\n"));
}

// Bytes of an answer have been given to the client's connection.
bool Session::begun() const {
    return accepted_ || request_->reply.begun() || (file_ && file_->taken() != 0);
}

}  // namespace ticketgate
