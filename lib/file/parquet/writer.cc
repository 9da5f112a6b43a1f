// SPDX-License-Identifier: MIT
// The Parquet plugin: batches of columns through Arrow's arrays, which borrow them, into a Parquet file whose bytes the
// program takes. No exception leaves this file.
#include "file/parquet.h"

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace {

// What the program takes; remembers why it did not.
class sink_stream final : public arrow::io::OutputStream {
  public:
    sink_stream(gw_parquet_sink *sink, void *context) : sink_(sink), context_(context) {}
    arrow::Status Write(const void *bytes, int64_t count) override {
        if (failure == GW_OK) failure = sink_(context_, bytes, count);
        if (failure != GW_OK) return arrow::Status::IOError("the program takes no more bytes");
        written_ += count;
        return arrow::Status::OK();
    }
    arrow::Status Close() override {
        closed_ = true;
        return arrow::Status::OK();
    }
    arrow::Result<int64_t> Tell() const override {
        return written_;
    }
    bool closed() const override {
        return closed_;
    }

    gw_status failure = GW_OK;

  private:
    gw_parquet_sink *sink_;
    void *context_;
    int64_t written_ = 0;
    bool closed_ = false;
};

std::shared_ptr<arrow::DataType> type_of(gw_column_kind kind) {
    switch (kind) {
    case GW_COLUMN_INTEGER: return arrow::int64();
    case GW_COLUMN_FLOAT: return arrow::float32();
    case GW_COLUMN_DOUBLE: return arrow::float64();
    default: return arrow::utf8();
    }
}

int64_t bytes_of(gw_column_kind kind) {
    return kind == GW_COLUMN_FLOAT ? 4 : 8;
}

} // namespace

struct gw_parquet_file {
    gw_parquet_fail *fail;
    std::vector<gw_column_kind> kinds;
    std::shared_ptr<arrow::Schema> schema;
    std::shared_ptr<sink_stream> sink;
    std::unique_ptr<parquet::arrow::FileWriter> writer;

    // A failure of the sink has its message already.
    gw_status settle(const arrow::Status &status) const {
        if (sink->failure != GW_OK) return sink->failure;
        return status.ok() ? GW_OK : fail(GW_ERR_IO, "Parquet: %s", status.ToString().c_str());
    }
};

namespace {

// Every reader knows Snappy; an Arrow without it writes uncompressed. Numbers that seldom repeat need no dictionary.
std::shared_ptr<parquet::WriterProperties> properties_of(const gw_column *columns, int count) {
    const bool snappy = arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY);
    parquet::WriterProperties::Builder builder;
    builder.compression(snappy ? arrow::Compression::SNAPPY : arrow::Compression::UNCOMPRESSED);
    builder.created_by("godwit");
    for (int i = 0; i < count; i++)
        if (columns[i].kind == GW_COLUMN_FLOAT || columns[i].kind == GW_COLUMN_DOUBLE)
            builder.disable_dictionary(columns[i].name);
    return builder.build();
}

arrow::Status open_writer(gw_parquet_file *file, const gw_column *columns, int count, const char *made) {
    arrow::FieldVector fields;
    for (int i = 0; i < count; i++) {
        fields.push_back(arrow::field(columns[i].name, type_of(columns[i].kind)));
        file->kinds.push_back(columns[i].kind);
    }
    file->schema = arrow::schema(fields);
    ARROW_ASSIGN_OR_RAISE(file->writer, parquet::arrow::FileWriter::Open(*file->schema, arrow::default_memory_pool(),
                                                                         file->sink, properties_of(columns, count)));
    if (made) return file->writer->AddKeyValueMetadata(arrow::key_value_metadata({"godwit"}, {made}));
    return arrow::Status::OK();
}

// A bit for each row; none where nothing is missing.
arrow::Result<std::shared_ptr<arrow::Buffer>> bits_of(const uint8_t *present, int64_t rows, int64_t *missing) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits, arrow::AllocateBuffer((rows + 7) / 8));
    uint8_t *bytes = bits->mutable_data();
    for (int64_t i = 0; i < rows; i++) {
        if (i % 8 == 0) bytes[i / 8] = 0;
        if (present[i]) bytes[i / 8] |= static_cast<uint8_t>(1U << (i % 8));
        else ++*missing;
    }
    return *missing > 0 ? bits : nullptr;
}

arrow::Status add_rows(gw_parquet_file *file, const gw_column_cells *cells, int64_t rows) {
    arrow::ArrayVector arrays;
    for (size_t i = 0; i < file->kinds.size(); i++, cells++) {
        const gw_column_kind kind = file->kinds[i];
        int64_t missing = 0;
        ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits, bits_of(cells->present, rows, &missing));
        std::vector<std::shared_ptr<arrow::Buffer>> buffers{bits};
        if (kind == GW_COLUMN_TEXT) {
            buffers.push_back(arrow::Buffer::Wrap(cells->starts, static_cast<size_t>(rows + 1)));
            buffers.push_back(arrow::Buffer::Wrap(cells->bytes, static_cast<size_t>(cells->starts[rows])));
        } else {
            buffers.push_back(
                std::make_shared<arrow::Buffer>(static_cast<const uint8_t *>(cells->numbers), rows * bytes_of(kind)));
        }
        arrays.push_back(arrow::MakeArray(arrow::ArrayData::Make(type_of(kind), rows, std::move(buffers), missing)));
    }
    return file->writer->WriteTable(*arrow::Table::Make(file->schema, arrays, rows), rows);
}

template <typename work> gw_status guarded(gw_parquet_fail *fail, work run) {
    try {
        return run();
    } catch (const std::exception &fault) {
        return fail(GW_ERR_IO, "Parquet: %s", fault.what());
    } catch (...) {
        return fail(GW_ERR_IO, "Parquet: Arrow failed without a word");
    }
}

gw_status open_file(const gw_column *columns, int count, const char *made, gw_parquet_sink *sink, void *context,
                    gw_parquet_fail *fail, gw_parquet_file **file) {
    *file = nullptr;
    return guarded(fail, [=] {
        auto opened = std::make_unique<gw_parquet_file>();
        opened->fail = fail;
        opened->sink = std::make_shared<sink_stream>(sink, context);
        const gw_status status = opened->settle(open_writer(opened.get(), columns, count, made));
        if (status == GW_OK) *file = opened.release();
        return status;
    });
}

gw_status add_to_file(gw_parquet_file *file, const gw_column_cells *cells, int64_t rows) {
    return guarded(file->fail, [=] { return file->settle(add_rows(file, cells, rows)); });
}

gw_status close_file(gw_parquet_file *file) {
    return guarded(file->fail, [=] { return file->settle(file->writer->Close()); });
}

// A writer that was not closed would write an end: the sink takes none.
void free_file(gw_parquet_file *file) {
    if (!file) return;
    if (file->sink->failure == GW_OK) file->sink->failure = GW_ERR_IO;
    try {
        delete file;
    } catch (...) {
    }
}

const char *version() {
    static const std::string text = "Arrow " + arrow::GetBuildInfo().version_string;
    return text.c_str();
}

} // namespace

extern "C" __attribute__((visibility("default"))) const gw_parquet *gw_parquet_entry(void) {
    static const gw_parquet plugin = {GW_PARQUET_ABI, version, open_file, add_to_file, close_file, free_file};
    return &plugin;
}
