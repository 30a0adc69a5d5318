#include "files/answer.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "files/ranges.hpp"
#include "log/timestamp.hpp"

namespace ticketgate::files {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

// A file may change again within the tick of its clock, or within the second that a date names.
constexpr std::int64_t settled_after_s = 2;

// The size of the fields of a file that has no long type.
constexpr std::size_t usual_fields = 320;

void line(std::string& out, std::string_view name, std::string_view value) {
    append_all(out, name, ": ", value, "\r\n");
}

std::string content_range(const Range& part, std::uint64_t size) {
    return "bytes " + std::to_string(part.from) + "-" + std::to_string(part.from + part.size - 1) +
           "/" + std::to_string(size);
}

class Maker {
 public:
    Maker(const Resolved& found, const Rules& rules, const Wanted& wanted, std::int64_t now,
          std::string_view separator)
        : found_(found), rules_(rules), wanted_(wanted), separator_(separator) {
        out_.fields.reserve(usual_fields);
        const OpenFile& file = *found.file;
        const std::int64_t mtime_s = file.mtime_ns / ns_per_s;
        validators_.date_is_strong = mtime_s + settled_after_s <= now;
        validators_.modified = std::min(mtime_s, now);
        validators_.etag = entity_tag(file.mtime_ns, file.size, name_of(found.coding),
                                      !validators_.date_is_strong);
    }

    Answer make() {
        switch (judge(wanted_.conditions, validators_)) {
            case Verdict::failed:
                out_.status = 412;
                return empty();
            case Verdict::not_modified:
                out_.status = 304;
                append_validators();
                return std::move(out_);
            case Verdict::go_on:
                break;
        }
        const std::uint64_t size = found_.file->size;
        Ranges ranges;
        // RFC 9110 14.2: only of GET.
        if (!wanted_.head && range_applies(wanted_.conditions.if_range, validators_))
            ranges = read_ranges(wanted_.range, size);
        switch (ranges.how) {
            case Ranges::How::unsatisfiable:
                out_.status = 416;
                line(out_.fields, "Content-Range", "bytes */" + std::to_string(size));
                return empty();
            case Ranges::How::parts:
                return parts(ranges.parts);
            case Ranges::How::whole:
                break;
        }
        append_content_fields(rules_.type_of(found_.path).field);
        add({}, {0, size});
        return finish();
    }

 private:
    Answer parts(const std::vector<Range>& ranges) {
        const std::uint64_t size = found_.file->size;
        const std::string_view type = rules_.type_of(found_.path).field;
        out_.status = 206;
        if (ranges.size() == 1) {
            append_content_fields(type);
            line(out_.fields, "Content-Range", content_range(ranges.front(), size));
            add({}, ranges.front());
            return finish();
        }
        append_content_fields("multipart/byteranges; boundary=" + std::string(separator_));
        const std::string open = "--" + std::string(separator_);
        for (const Range& part : ranges) {
            std::string head = (out_.body.empty() ? "" : "\r\n") + open + "\r\n";
            line(head, "Content-Type", type);
            line(head, "Content-Range", content_range(part, size));
            add(head + "\r\n", part);
        }
        add("\r\n" + open + "--\r\n", {});
        return finish();
    }

    void append_validators() {
        line(out_.fields, "ETag", validators_.etag);
        out_.fields += "Last-Modified: ";
        append_http_date(out_.fields, WallTime{validators_.modified * 1'000'000});
        out_.fields += "\r\n";
        if (!rules_.cache_control.empty()) line(out_.fields, "Cache-Control", rules_.cache_control);
        if (found_.varies) line(out_.fields, "Vary", "Accept-Encoding");
    }

    void append_content_fields(std::string_view type) {
        line(out_.fields, "Content-Type", type);
        if (found_.coding != Coding::identity)
            line(out_.fields, "Content-Encoding", name_of(found_.coding));
        append_validators();
        out_.fields += "Accept-Ranges: bytes\r\nX-Content-Type-Options: nosniff\r\n";
    }

    void add(std::string text, const Range& part) {
        out_.length += text.size() + part.size;
        out_.body.push_back({std::move(text), part.from, part.size});
    }

    Answer empty() {
        if (found_.varies) line(out_.fields, "Vary", "Accept-Encoding");
        return finish();
    }

    Answer finish() {
        line(out_.fields, "Content-Length", std::to_string(out_.length));
        if (wanted_.head) out_.body.clear();
        return std::move(out_);
    }

    const Resolved& found_;
    const Rules& rules_;
    const Wanted& wanted_;
    const std::string_view separator_;
    Validators validators_;
    Answer out_;
};

}  // namespace

Answer answer_of(const Resolved& found, const Rules& rules, const Wanted& wanted, std::int64_t now,
                 std::string_view separator) {
    return Maker(found, rules, wanted, now, separator).make();
}

}  // namespace ticketgate::files
